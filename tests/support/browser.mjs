// One browser for many pages, told what to do by lines of JSON on standard input: each is
// {"do": name, "page": number, ...}, and is answered by one line, {"found": value} or {"error": text}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(`${process.argv[2]}/`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({
  executablePath: process.argv[3],
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    ...process.argv.slice(4),
  ],
});
const pages = [];

const actions = {
  // options: those of a context of playwright, viewport and colorScheme among them
  async open({ url, options }) {
    const context = await browser.newContext({ offline: true, ...options });
    const page = await context.newPage();
    const seen = { problems: [], requests: [] };
    page.on("console", (each) => {
      if (["error", "warning"].includes(each.type())) seen.problems.push(each.text());
    });
    page.on("pageerror", (each) => seen.problems.push(String(each)));
    page.on("request", (each) => seen.requests.push(each.url()));
    await page.goto(url);
    pages.push({ page, seen });
    return pages.length - 1;
  },
  seen: ({ seen }) => seen,
  evaluate: ({ page, script }) => page.evaluate(script),
  // waitForFunction has the page evaluate text, which a page's policy may forbid
  async wait({ page, script, milliseconds }) {
    const end = Date.now() + milliseconds;
    while (!(await page.evaluate(script))) {
      if (Date.now() > end) throw new Error(`not true in time: ${script}`);
      await page.waitForTimeout(20);
    }
    return null;
  },
  click: ({ page, selector }) => page.click(selector).then(() => null),
  focus: ({ page, selector }) => page.focus(selector).then(() => null),
  press: ({ page, key }) => page.keyboard.press(key).then(() => null),
  drag: async ({ page, points }) => {
    await page.mouse.move(...points[0]);
    await page.mouse.down();
    for (const each of points.slice(1)) await page.mouse.move(...each, { steps: 5 });
    await page.mouse.up();
    return null;
  },
  files: ({ page, selector, files }) => page.setInputFiles(selector, files).then(() => null),
  shot: ({ page, file, full }) => page.screenshot({ path: file, fullPage: full }).then(() => null),
  resize: ({ page, width, height }) => page.setViewportSize({ width, height }).then(() => null),
  scheme: ({ page, scheme }) => page.emulateMedia({ colorScheme: scheme }).then(() => null),
  // rules that the page breaks: their names and the elements
  async axe({ page }) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate("axe.run(document, { preload: false })");
    return violations.map((each) => ({
      rule: each.id,
      help: each.help,
      where: each.nodes.slice(0, 5).map((node) => `${node.target}: ${node.failureSummary}`),
    }));
  },
  async close({ page }) {
    await page.context().close();
    return null;
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    const { do: name, page: number, ...rest } = JSON.parse(line);
    answer = { found: (await actions[name]({ ...pages[number], ...rest })) ?? null };
  } catch (error) {
    answer = { error: String(error.message ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
