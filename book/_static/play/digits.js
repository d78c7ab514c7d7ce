// Handwritten digits from a sheet: a picture of 28 x 28 tiles, the K images of a state side by side.
"use strict";
const Digits = (() => {
  const SIDE = 28;
  const sheets = {};

  const canvas = () =>
    Play.element("canvas", { width: SIDE, height: SIDE, class: "play-digit", role: "img" });

  // Draws tile number `tile` of a sheet, `across` tiles wide, as soon as the sheet is read.
  function draw(onto, url, tile, across, label) {
    onto.setAttribute("aria-label", label);
    const wanted = `${url}#${tile}`;
    onto.dataset.tile = wanted;
    sheets[url] ||= Object.assign(new Image(), { src: new URL(url, Play.here).href });
    sheets[url].decode().then(() => {
      if (onto.dataset.tile !== wanted) return; // another was asked for meanwhile
      const x = (tile % across) * SIDE, y = Math.floor(tile / across) * SIDE;
      onto.getContext("2d").drawImage(sheets[url], x, y, SIDE, SIDE, 0, 0, SIDE, SIDE);
    });
  }
  return { canvas, draw };
})();
