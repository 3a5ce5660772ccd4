// Values under the pointer and zoom of charts over time. The page is complete without it.
'use strict';
const element = (parent, name, attributes) => {
  const made = document.createElementNS(parent.namespaceURI, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return parent.appendChild(made);
};
const duration = ns => {
  const [unit, divisor] = ns < 1e3 ? ['ns', 1] : ns < 1e6 ? ['us', 1e3] : ns < 1e9 ? ['ms', 1e6] : ['s', 1e9];
  return `${Number((ns / divisor).toPrecision(3))} ${unit}`;
};
const chart = svg => {
  const caption = svg.closest('figure').querySelector('figcaption:last-child');
  const link = caption.querySelector('[download$=".json"]').getAttribute('href');
  const {y, series} = JSON.parse(decodeURIComponent(link.slice(link.indexOf(',') + 1)));
  const [left, right, top, bottom, end] = svg.dataset.time.split(' ').map(Number);
  const {width, height} = svg.viewBox.baseVal;
  // A gap of a series: its last value before this time is older than two intervals.
  const gap = 2 * end / Math.max(...series.map(one => one.points.length));
  const plot = element(svg, 'svg', {x: left, width: right - left, height, preserveAspectRatio: 'none'});
  plot.append(svg.querySelector('.plot'));
  svg.querySelectorAll('.t').forEach(hint => hint.remove());
  const line = element(svg, 'path', {class: 'cross'});
  const text = document.createElement('span');
  const whole = document.createElement('button');
  whole.textContent = 'Reset zoom';
  text.className = whole.className = 'at';
  caption.append(text, whole);
  let from, to, start = null;
  const place = s => left + (s - from) / (to - from) * (right - left);
  const time = event => {
    const box = svg.getBoundingClientRect();
    const x = (event.clientX - box.left) * width / box.width;
    return from + (Math.min(Math.max(x, left), right) - left) / (right - left) * (to - from);
  };
  const value = v => y.endsWith('(ns)') ? duration(v) :
    `${v.toLocaleString('en', {maximumFractionDigits: v < 100 ? 2 : 0})} ${y}`;
  const help = () => {
    line.setAttribute('d', '');
    text.textContent = 'Point at the chart for values, drag to zoom.';
  };
  const show = s => {
    const of = one => {
      const point = one.points.findLast(([at]) => at <= s);
      return point && s - point[0] < gap ? [`${one.name} ${value(point[1])}`] : [];
    };
    const other = start === null ? '' : `M${place(start)} ${top}V${bottom}`;
    line.setAttribute('d', `M${place(s)} ${top}V${bottom}${other}`);
    text.textContent = `${s.toFixed(1)} s: ${series.flatMap(of).join(', ')}`;
  };
  const zoom = (first, last) => {
    [from, to] = [first, last];
    const [x, x_end] = [first, last].map(s => left + s / end * (right - left));
    plot.setAttribute('viewBox', `${x} 0 ${x_end - x} ${height}`);
    const isWhole = first === 0 && last === end;
    svg.classList.toggle('zoomed', !isWhole);
    whole.hidden = isWhole;
    svg.querySelectorAll('.of-zoom').forEach(label => label.remove());
    for (const [at, anchor] of isWhole ? [] : [[from, 'start'], [to, 'end']]) {
      const label = {class: 'of-zoom', x: place(at), y: bottom + 15, 'text-anchor': anchor};
      element(svg, 'text', label).textContent = `${at.toFixed(1)} s`;
    }
    help();
  };
  zoom(0, end);
  svg.addEventListener('pointermove', event => show(time(event)));
  svg.addEventListener('pointerleave', () => start === null && help());
  svg.addEventListener('pointerdown', event => {
    if (event.button !== 0) return;
    start = time(event);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointerup', event => {
    if (start === null) return;
    const both = [start, time(event)].sort((one, other) => one - other);
    start = null;
    // A shorter way is a click.
    if (place(both[1]) - place(both[0]) > 8) zoom(...both);
  });
  svg.addEventListener('pointercancel', () => { start = null; help(); });
  whole.addEventListener('click', () => zoom(0, end));
  addEventListener('beforeprint', () => zoom(0, end));
};
document.querySelectorAll('figure>svg[data-time]').forEach(chart);
