import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTemporaryFolder } from '#testing/temporary-folder'
import { cutChangelog, digestsOf, requireNewer } from './release'

const folder = createTemporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CHANGES = '\n### Upgrading\n\n- Nothing to do.\n\n### Added\n\n- A thing.\n'
const BEFORE = '\n## 1.0.0 (2026-01-02)\n\n### Upgrading\n\n- Nothing.\n'

describe('cutChangelog', () => {
  test('makes the unreleased changes the section of the version', () => {
    expect(cutChangelog(`# Changelog\n\n## Unreleased\n${CHANGES}${BEFORE}`, '1.1.0', '2026-03-04')).toBe(
      `# Changelog\n\n## Unreleased\n\n## 1.1.0 (2026-03-04)\n${CHANGES}${BEFORE}`,
    )
  })

  test.each([
    ['no unreleased section', `# Changelog\n${BEFORE}`, 'has no section "Unreleased"'],
    ['no changes', `# Changelog\n\n## Unreleased\n${BEFORE}`, 'does not begin with "Upgrading"'],
    ['no notes', '# Changelog\n\n## Unreleased\n\n### Added\n\n- A thing.\n', 'does not begin with "Upgrading"'],
    ['empty notes', '# Changelog\n\n## Unreleased\n\n### Upgrading\n\n### Added\n', 'does not begin with "Upgrading"'],
    ['the version', `## Unreleased\n${CHANGES}\n## 1.1.0 (2026-03-03)\n`, 'has a section 1.1.0 already'],
  ])('refuses a changelog with %s', (_, text, problem) => {
    expect(() => cutChangelog(text, '1.1.0', '2026-03-04')).toThrow(problem)
  })

  test('can cut the changelog of the repository', async () => {
    const text = await Bun.file(join(import.meta.dir, '../../../CHANGELOG.md')).text()
    const isCut = text.includes('## Unreleased\n\n## ')
    if (isCut) expect(() => cutChangelog(text, '999.0.0', '2026-03-04')).toThrow('does not begin with "Upgrading"')
    else expect(cutChangelog(text, '999.0.0', '2026-03-04')).toContain('\n## 999.0.0 (2026-03-04)\n\n### Upgrading\n')
  })
})

describe('requireNewer', () => {
  test.each([
    ['0.1.0', '1.0.0'],
    ['1.0.0-rc.1', '1.0.0'],
    ['1.9.0', '1.10.0'],
    ['0.1.0', '1.0.0-rc.1'],
  ])('takes a version after %s: %s', (before, version) => requireNewer(version, before))

  test.each(['1.0.0', '0.9.9', '1.0.0-rc.1'])('refuses %s after 1.0.0', (version) => {
    expect(() => requireNewer(version, '1.0.0')).toThrow('is not newer than 1.0.0')
  })

  test.each(['', '1', 'v1.1.0', '1.1', '01.1.0', '1.1.0 ', '1.1.0-', '1.1.0\n', '../1.1.0'])(
    'refuses %p',
    (version) => {
      expect(() => requireNewer(version, '1.0.0')).toThrow('is not a version')
    },
  )
})

test('digestsOf writes what sha256sum reads', async () => {
  writeFileSync(join(folder, 'a'), 'abc')
  writeFileSync(join(folder, 'b'), '')
  expect(await digestsOf(folder, ['a', 'b'])).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n' +
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b\n',
  )
})
