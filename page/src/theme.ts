// Colours of the charts, dark and light. Series colours are from Okabe and Ito's palette (2008), which
// people with any common colour blindness tell apart; every series also has a shape or a label of its own.

export interface Theme {
  dark: boolean;
  text: string;
  faint: string;
  line: string; // grid and axes
  surface: string;
  baseline: string;
  current: string;
  good: string;
  bad: string;
  band: string; // the margin
  series: string[];
}

export const light: Theme = {
  dark: false,
  text: "#1c2330",
  faint: "#5b6472",
  line: "#d8dde5",
  surface: "#ffffff",
  baseline: "#0072b2",
  current: "#c14a00",
  good: "#00735c",
  bad: "#b23a00",
  band: "rgba(91, 100, 114, 0.14)",
  series: ["#0072b2", "#c14a00", "#00866b", "#a3578a", "#9a6a00", "#2f8fc4", "#5b6472", "#7a6f00"],
};

export const dark: Theme = {
  dark: true,
  text: "#e6eaf1",
  faint: "#a3adbb",
  line: "#343c49",
  surface: "#171c24",
  baseline: "#56b4e9",
  current: "#ff8a3d",
  good: "#35c6a1",
  bad: "#ff8a3d",
  band: "rgba(163, 173, 187, 0.16)",
  series: ["#56b4e9", "#ff8a3d", "#35c6a1", "#d993bf", "#e6b53c", "#8fd0f5", "#a3adbb", "#f0e442"],
};

// The colour of the series at a place. Where the palette begins again its colours are darker, then lighter; on a dark
// ground, darker still.
export function series_colour(theme: Theme, at: number): string {
  const own = theme.series[at % theme.series.length] ?? theme.text;
  const ring = Math.floor(at / theme.series.length);
  const [darker, lighter] = theme.dark ? [theme.surface, theme.surface] : [theme.text, theme.surface];
  return ring === 0 ? own : mixed(own, ring % 2 === 1 ? darker : lighter, Math.min(0.8, 0.1 + 0.25 * ring));
}

function mixed(one: string, other: string, part: number): string {
  const channel = (colour: string, at: number) => Number.parseInt(colour.slice(1 + 2 * at, 3 + 2 * at), 16);
  const mix = (at: number) => Math.round(channel(one, at) * (1 - part) + channel(other, at) * part);
  return `#${[0, 1, 2].map((at) => mix(at).toString(16).padStart(2, "0")).join("")}`;
}

const symbols = ["circle", "diamond", "triangle", "rect", "roundRect", "pin", "arrow", "emptyCircle"];

// The symbols of the series at a place. Where the colours begin again the symbols are shifted, so that no two of the first 64
// series have the same of both.
export function symbol_at(at: number): string {
  return symbols[(at + Math.floor(at / symbols.length)) % symbols.length] ?? "circle";
}

export const font = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif";
