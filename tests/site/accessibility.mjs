// accessibility.mjs BROWSER SITE REPORT: see accessibility.sh.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';
import puppeteer from 'puppeteer-core';

const [browserPath, site, report] = process.argv.slice(2);
const axe = fs.readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const types = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.json': 'application/json',
  '.svg': 'image/svg+xml', '.png': 'image/png', '.gif': 'image/gif' };
const server = http.createServer((request, response) => {
  const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
  if (name === '/favicon.ico') return response.writeHead(204).end();
  const file = name === '/report.html' ? report : path.join(site, path.normalize(name));
  if (!fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
  response.writeHead(200, { 'content-type': types[path.extname(file)] || 'application/octet-stream' });
  fs.createReadStream(file).pipe(response);
}).listen(0, '127.0.0.1');
await new Promise(resolve => server.once('listening', resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const pages = ['index.html', 'tutorial.html', 'gallery.html', 'cli.html', 'python.html', 'results.html', 'how-to/troubleshoot.html',
  'reference/commands.html', 'reference/cpp.html', 'solvers/nvi.html', 'source/ARCHITECTURE.html', 'report.html']
  .filter(p => p === 'report.html' || fs.existsSync(path.join(site, p)));
const problems = [];
const browser = await puppeteer.launch({ executablePath: browserPath, headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });

async function open(name, scheme, width = 1280) {
  const context = await browser.createBrowserContext();  // nothing is remembered of the page before
  const page = await context.newPage();
  page.done = () => context.close();
  page.on('console', m => { if (['error', 'warning', 'warn'].includes(m.type())) problems.push(`${name}, ${scheme}: console: ${m.text()} ${m.location().url || ''}`); });
  page.on('pageerror', e => problems.push(`${name}, ${scheme}: ${e.message}`));
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }, { name: 'prefers-reduced-motion', value: 'reduce' }]);
  await page.goto(address + name, { waitUntil: 'load' });
  await new Promise(resolve => setTimeout(resolve, 400));
  return page;
}

for (const name of pages)
  for (const scheme of ['light', 'dark']) {
    const page = await open(name, scheme);
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'],
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
    for (const v of found.violations)
      problems.push(`${name}, ${scheme}: ${v.id} (${v.impact}) ${v.nodes.length} x, such as ${v.nodes[0].html.slice(0, 140)}\n      ${(v.nodes[0].any[0] || v.nodes[0].all[0] || v.nodes[0].none[0] || {}).message || v.help}`);
    const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0));
    if ((scheme === 'dark') !== (shade < 384)) problems.push(`${name}: is not ${scheme} where that is wanted`);
    await page.done();
  }

// By keyboard alone: Tab comes to everything that can be used, in turn, and it can be seen where one is.
for (const name of ['index.html', 'cli.html', 'report.html']) {
  const page = await open(name, 'light');
  const all = await page.evaluate(() => {
    const radios = new Set();  // a group is one stop
    const alone = e => e.type !== 'radio' || (!radios.has(e.name) && radios.add(e.name));
    const shown = e => e.checkVisibility({ checkOpacity: false, checkVisibilityCSS: true }) && e.getClientRects().length > 0;
    const list = [...document.querySelectorAll('a[href], button, select, input, [tabindex="0"], summary')]
      .filter(e => e.tabIndex >= 0 && !e.disabled && shown(e) && alone(e));
    list.forEach((e, i) => { e.dataset.stop = i; });
    return list.length;
  });
  const met = new Set();
  let hidden = 0;
  for (let i = 0; i < 2 * all + 20 && met.size < all; ++i) {
    await page.keyboard.press('Tab');
    const stop = await page.evaluate(() => {
      const e = document.activeElement, s = getComputedStyle(e);
      return { at: e.dataset.stop, seen: s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e.tagName === 'INPUT' };
    });
    if (stop.at !== undefined) met.add(stop.at);
    if (stop.at !== undefined && !stop.seen) ++hidden;
  }
  const missed = await page.evaluate(met => [...document.querySelectorAll('[data-stop]')].filter(e => !met.includes(e.dataset.stop)
    && e.tabIndex >= 0).map(e => e.outerHTML.slice(0, 120)), [...met]);
  if (missed.length) problems.push(`${name}: Tab does not come to ${missed.length} of ${all} controls, such as ${missed[0]}`);
  if (hidden) problems.push(`${name}: ${hidden} controls do not show that they have the focus`);
  console.log(`${name}: Tab comes to ${met.size} of ${all} controls`);
  await page.done();
}

// The search of the site opens, finds and leads by keys.
{
  const page = await open('index.html', 'light');
  await page.keyboard.press('/');
  await page.keyboard.type('likelihood');
  await page.waitForSelector('.md-search-result__link', { timeout: 10000 }).catch(() => problems.push('the search finds nothing'));
  await page.keyboard.press('ArrowDown');
  await Promise.all([page.waitForNavigation({ timeout: 10000 }), page.keyboard.press('Enter')])
    .catch(() => problems.push('the search does not lead anywhere'));
  console.log(`search: leads to ${page.url().replace(address, '').split('?')[0]}`);
  await page.done();
}

// Narrow: nothing sticks out but what scrolls by itself.
for (const name of pages) {
  const page = await open(name, 'light', 390);
  if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1)) problems.push(`${name}: wider than a narrow window`);
  await page.done();
}

await browser.close();
server.close();
const once = new Map();  // the theme's own faults are on every page
for (const p of problems) {
  const [where, ...what] = p.split(': '), key = what.join(': ');
  once.set(key, [...(once.get(key) || []), where]);
}
const lines = [...once].map(([what, where]) => `${where.slice(0, 3).join('; ')}${where.length > 3 ? ` and ${where.length - 3} more` : ''}: ${what}`);
console.log(problems.length ? lines.map(p => `  ${p}`).join('\n') : `${pages.length} pages, light and dark: nothing found`);
process.exit(problems.length ? 1 : 0);
