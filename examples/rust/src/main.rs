use sine::{input, output, Model};

/// The sine of an angle in radians, by the model.
fn sine(model: &mut Model, angle: f32) -> f32 {
    model.input()[0] = input::quantize(angle);
    let outputs = model.invoke();
    output::dequantize(outputs.output()[0])
}

fn main() {
    let mut model = Model::new();
    for angle in [0.0, 1.0, 1.57, 3.14, 4.71] {
        println!("{angle:.2} {:6.3}", sine(&mut model, angle));
    }
}
