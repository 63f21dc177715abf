import { expect, test } from 'bun:test'
import { listUpgradeNotes } from './check-upgrade'

const CHANGELOG = `# Changelog

## Unreleased

### Added

- A thing.

## 1.2.0 (2027-02-01)

### Upgrading

- Set A before.
- Stop B,
  and start C.

### Added

- Another thing.

## 1.1.0 (2027-01-01)

### Upgrading

- Run D.

## 1.0.0 (2026-12-01)

### Upgrading

- First.
`

const notes = (since: string | undefined) =>
  listUpgradeNotes(CHANGELOG, since).map(({ version, lines }) => [version, ...lines])

const OF_1_2 = ['1.2.0 (2027-02-01)', '- Set A before.', '- Stop B,', '  and start C.']
const OF_1_1 = ['1.1.0 (2027-01-01)', '- Run D.']
const OF_1_0 = ['1.0.0 (2026-12-01)', '- First.']

test.each([
  ['1.0.0', [OF_1_2, OF_1_1]],
  ['1.1.0', [OF_1_2]],
  ['1.2.0', []],
  // All that there are, for a version that the changelog does not have.
  ['0.1.0', [OF_1_2, OF_1_1, OF_1_0]],
  [undefined, []],
])('since %p', (since, expected) => expect(notes(since)).toEqual(expected))
