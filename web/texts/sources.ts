/** The files that contain texts of the console. */

import { join } from 'node:path'
import { findTexts, type Text } from './find-texts'

const ROOT = join(import.meta.dirname, '../..')

/** The vocabulary is also of the service, which keeps its English texts. */
const FOLDERS = ['web/src', 'server/vocabulary']

/** Files with words of other languages than English, of which none is shown as a text. */
const WITHOUT_TEXTS = [
  'server/vocabulary/written-values.ts',
  'web/src/screens/notes/editor/clipboard/clean-html.ts',
  'web/src/screens/notes/editor/schema.ts',
  'web/src/screens/sql/editor/dialect.ts',
  'web/src/screens/webhooks/delivery/verification-code.ts',
]

/** Whether a file, by its path in the repository, may contain texts of the console. */
export const isSourceOfTexts = (file: string): boolean =>
  FOLDERS.some((folder) => file.startsWith(`${folder}/`)) &&
  /\.(?:svelte|ts)$/.test(file) &&
  !/\.test\.ts$|\/testing\//.test(file) &&
  !WITHOUT_TEXTS.includes(file)

/** All texts by the path of their file. */
export async function readTexts(): Promise<Map<string, Text[]>> {
  const files = FOLDERS.flatMap((folder) => [...new Bun.Glob(`${folder}/**/*.{svelte,ts}`).scanSync({ cwd: ROOT })])
    .map((file) => file.replaceAll('\\', '/'))
    .filter(isSourceOfTexts)
    .sort()
  const read = async (file: string) => [file, findTexts(file, await Bun.file(join(ROOT, file)).text())] as const
  return new Map(await Promise.all(files.map(read)))
}
