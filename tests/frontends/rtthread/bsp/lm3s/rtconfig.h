/* What the board is configured with. */
#ifndef RTCONFIG_H
#define RTCONFIG_H

#define RT_USING_FINSH

#endif
