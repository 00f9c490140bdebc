# A .tflite model as C files of a Makefile:
#
#   include $(shell tinyml_rules where make)/tinyml.mk
#   $(call tinyml_model,sine,models/sine.tflite,atmega328)
#
# name, model, target and, if there are any, options of `tinyml_rules compile`.  Adds the model's
# files to TINYML_SOURCES, TINYML_HEADERS and TINYML_INCLUDES; how they are compiled is up to you.

ifneq ($(filter 3.% 4.0% 4.1%,$(MAKE_VERSION)),)
$(error tinyml.mk: error: this is GNU make $(MAKE_VERSION), expected 4.2 or newer)
endif

# The compiler, and the folder in which each model has one of its own.
TINYML ?= tinyml_rules
TINYML_FOLDER ?= tinyml

tinyml_model = $(eval $(call tinyml_model_rules,$(strip $1),$(strip $2),--target $(strip $3) $(strip $4),$\
  $(TINYML_FOLDER)/$(strip $1)))

# name, model, options, folder.  The stamp is new after every compilation and the files only where
# their bytes are, so that what is made of them is not made again.  The settings are new when the
# options are other ones, or when a file has disappeared.
define tinyml_model_rules
tinyml_goal := $(.DEFAULT_GOAL)
tinyml_files := $(addprefix $4/$1,.c .h .report.json .memory.svg $(if $(findstring external,$3),.weights.bin))

TINYML_SOURCES += $4/$1.c
TINYML_HEADERS += $4/$1.h
TINYML_INCLUDES += -I$4

ifneq ($$(file <$4/$1.settings) $$(wildcard $$(tinyml_files)),$2 $3 $$(tinyml_files))
$$(shell mkdir -p $4)
$$(file >$4/$1.settings,$2 $3)
endif

$4/$1.stamp: $2 $4/$1.settings
	$(TINYML) compile $2 $3 --name $1 --out $4 --quiet --stamp $$@ --depfile $$@.d
$$(tinyml_files): $4/$1.stamp ;
-include $4/$1.stamp.d

.DEFAULT_GOAL := $$(tinyml_goal)
endef

tinyml_goal := $(.DEFAULT_GOAL)

.PHONY: tinyml-clean
tinyml-clean:
	$(RM) -r $(TINYML_FOLDER)

.DEFAULT_GOAL := $(tinyml_goal)
