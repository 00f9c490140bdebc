/*
  A sensor node: it samples a rotation sensor on A0, infers the shaft's height, prints it and blinks.
  After 32 samples it sleeps for good.
*/
#include <avr/sleep.h>
#include <sine.h>

const int SAMPLES = 32;
const uint8_t SLOWEST = 8;  // the shaft turns by this much even where the sensor reads nothing

uint8_t angle = 0;  // 1/256 of a turn

void setup() {
  Serial.begin(115200);
  pinMode(LED_BUILTIN, OUTPUT);
  for (int sample = 0; sample < SAMPLES; sample++) {
    angle += SLOWEST + analogRead(A0) / 64;
    report(angle - 128);  // the model's input spans one turn
  }
  Serial.flush();
  cli();
  sleep_mode();
}

void report(int8_t x) {
  *sine_input() = x;
  sine_invoke();
  const int8_t height = *sine_output();
  Serial.print("x ");
  Serial.print(x);
  Serial.print(" height ");
  Serial.println(height);
  digitalWrite(LED_BUILTIN, height > 0);
}

void loop() {
}
