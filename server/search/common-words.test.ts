import { describe, expect, test } from 'bun:test'
import { commonWords } from './common-words'

const words = commonWords(['example', 'exam', 'maria', 'martin', '#421'], [0.5, 0.01, 0.02, 0.02, 0.2], 0.03)

describe('common words', () => {
  test.each([
    ['example', true, true],
    ['exam', false, true],
    ['maria', false, false],
    ['mar', false, true],
    ['m', false, true],
    ['x', false, false],
    ['examples', false, false],
  ])('%s', (word, isCommon, beginsCommonly) => {
    expect([words.has(word), words.hasBeginning(word)]).toEqual([isCommon, beginsCommonly])
  })
})
