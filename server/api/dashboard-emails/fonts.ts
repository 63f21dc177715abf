/** The typeface of the console, in parts by script. Letters of other scripts are drawn as boxes. */

const SCRIPTS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese']

/** Below `node_modules`. */
export const FONT_FILES = SCRIPTS.map((script) => `@fontsource-variable/inter/files/inter-${script}-wght-normal.woff2`)
