// Beside the page of a report that `penumbra report --serve` gives out: asks for news as long as
// somebody looks, and hands them to the page (main.js), which keeps the reader's place.
'use strict';
(() => {
  const every = 2000;  // milliseconds
  const place = document.getElementById('live');
  const say = (state, words) => {
    if (place.dataset.state === state) return;
    place.dataset.state = state;
    place.textContent = words;
    place.hidden = false;
  };
  document.documentElement.dataset.live = '';
  let tag = '';
  async function look() {
    if (!document.hidden) try {
      const answer = await fetch('data.json', { cache: 'no-store', headers: tag ? { 'If-None-Match': tag } : {} });
      if (answer.status === 200) {
        penumbraUpdate(await answer.json());
        tag = answer.headers.get('ETag') || '';
      }
      if (answer.ok || answer.status === 304) say('live', 'live: follows the runs as they go on');
      else say('lost', `the server answers ${answer.status}: this is the last state`);
    } catch (error) {
      say('lost', 'the server has ended: this is the last state');
    }
    setTimeout(look, every);
  }
  look();
})();
