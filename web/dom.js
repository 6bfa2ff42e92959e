// Elements and numbers as text.

function make(space, name, attributes, children) {
  const element = space ? document.createElementNS(space, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'text') element.textContent = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  for (const child of [children || []].flat(Infinity))
    if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}
const el = (name, attributes, children) => make('', name, attributes, children);
const svg = (name, attributes, children) =>
  make('http://www.w3.org/2000/svg', name, attributes, children);

const isNumber = x => typeof x === 'number' && isFinite(x);
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const sum = list => list.reduce((a, b) => a + b, 0);

function number(x, digits = 2) {
  if (!isNumber(x)) return '–';
  if (x !== 0 && Math.abs(x) < 0.5 * 10 ** -digits) return x.toExponential(1);
  return x.toFixed(digits).replace('-', '−');
}
function short(x) {  // for axes: 12 k, 0.01
  const size = Math.abs(x);
  const text = size >= 1e9 ? x / 1e9 + ' G' : size >= 1e6 ? x / 1e6 + ' M'
    : size >= 1e4 ? x / 1e3 + ' k' : String(+x.toPrecision(6));
  return text.replace('-', '−');
}
const whole = x => isNumber(x) ? Math.round(x).toLocaleString('en').replace(/,/g, ' ') : '–';
function percent(p) {
  if (!isNumber(p)) return '–';
  if (p > 0 && p < 0.001) return '<0.1 %';
  if (p < 1 && p > 0.999) return '>99.9 %';
  return (100 * p).toFixed(p < 0.1 && p > 0 ? 1 : 0) + ' %';
}
function duration(s) {
  if (!isNumber(s)) return '–';
  if (s < 1) return (1000 * s).toFixed(0) + ' ms';
  if (s < 120) return number(s, s < 10 ? 1 : 0) + ' s';
  return s < 7200 ? number(s / 60, 1) + ' min' : number(s / 3600, 1) + ' h';
}
const bytes = x => !isNumber(x) ? '–' : x < 1e9 ? (x / 1e6).toFixed(0) + ' MB' : (x / 1e9).toFixed(1) + ' GB';

// A theme colour, for canvases.
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
