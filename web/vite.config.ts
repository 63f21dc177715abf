/** How the console is built, and served while it is being developed. */

import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'
import { translatedTo } from './texts/plugin'

const service = process.env.RELATA_URL ?? 'http://127.0.0.1:8080'

/** The language of the development server, when it is not English. */
const language = process.env.CONSOLE_LANGUAGE

const FORMS = /\/src\/screens\/(?:emails|records\/(?:create|filter))\//

/**
 * One chunk with all modules of the first load, one with the modules that several screens share, and one with the filter builder and the
 * forms of records and emails, which most pages of settings do not need. Otherwise each set of screens has a chunk of its own modules, and
 * a table needs 57 of them. See docs/decisions/console.md (Build and policy).
 */
const CHUNKS = [
  { name: 'shell', tags: ['$initial' as const], priority: 2 },
  { name: 'common', test: (id: string) => !FORMS.test(id), minShareCount: 5, priority: 1 },
  { name: 'forms', test: FORMS, minShareCount: 2 },
]

export default defineConfig({
  root: import.meta.dirname,
  plugins: [svelte(), ...(language === undefined ? [] : [translatedTo(language)])],
  build: {
    target: ['chrome123', 'firefox121', 'safari17.5'],
    // Everything is a file of our own: the content security policy allows nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: CHUNKS } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v2', '/console', '/oauth', '/docs', '/files', '/openapi.json'].map((path) => [path, service]),
    ),
  },
})
