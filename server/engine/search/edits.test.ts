import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editsToPrefix, oneEditAway } from './rank'

describe('edits to the beginning of a word', () => {
  test.each([
    ['ada', 'ada', 0],
    ['ada', 'adam', 0],
    ['jonh', 'john', 1],
    ['jonhson', 'johnsonville', 1],
    ['micrsoft', 'microsoft', 1],
    ['microosoft', 'microsoft', 1],
    ['nicrosoft', 'microsoft', 1],
    ['johanson', 'johannsson', 2],
    ['смрнов', 'смирнов', 1],
    ['🎉x', '🎉y', 1],
    ['ada', 'bob', 3],
    ['', 'ada', 0],
    ['ada', '', 3],
  ])('%j to %j: %d', (word, target, edits) => {
    expect(editsToPrefix(word, target, 2)).toBe(edits)
  })
})

describe('words one edit away', () => {
  test('are exactly those that one edit makes equal', () => {
    const words = fc.stringMatching(/^[a-z]{4,8}$/)
    fc.assert(
      fc.property(words, (word) => {
        for (const other of oneEditAway(word)) expect(editsToPrefix(other, word, 2)).toBeLessThanOrEqual(1)
      }),
      { seed: 1 },
    )
  })

  test('include every kind of error', () => {
    const words = oneEditAway('john')
    for (const other of ['jon', 'jhon', 'jonn', 'johhn', 'xjohn', 'ohn', 'joh']) expect(words).toContain(other)
    expect(words).not.toContain('john')
  })

  test('include letters of other scripts', () => {
    expect(oneEditAway('ивна')).toContain('иван')
    expect(oneEditAway('сиирнов')).toContain('смирнов')
  })
})
