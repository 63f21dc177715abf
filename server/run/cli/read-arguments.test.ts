import { describe, expect, test } from 'bun:test'
import { defineCommand, UsageError } from './command'
import { explainCommand } from './run'
import { readArguments } from './read-arguments'

const command = defineCommand({
  name: 'pack',
  summary: 'Packs things.',
  positionals: ['<box>'],
  options: {
    fast: { kind: 'flag', description: 'Hurries.' },
    label: { kind: 'text', value: '<text>', description: 'What it says.' },
    thing: { kind: 'texts', value: '<thing>', description: 'What goes in.' },
  },
  run: async () => 0,
})

describe('readArguments', () => {
  test.each([
    [['a'], { fast: false, label: undefined, thing: [] }],
    [['a', '--fast', '--label', 'x'], { fast: true, label: 'x', thing: [] }],
    [['--label', 'x', 'a', '--label=y'], { fast: false, label: 'y', thing: [] }],
    [['--thing', 'cup', 'a'], { fast: false, label: undefined, thing: ['cup'] }],
    [['--thing', 'cup', 'a', '--thing=pot'], { fast: false, label: undefined, thing: ['cup', 'pot'] }],
  ])('%j', (words, options) => {
    expect<unknown>(readArguments(command, words)).toEqual({ options, positionals: ['a'] })
  })

  test.each([
    [['a', '--thing'], '--thing needs a value.'],
    [['a', '--thing', '--fast'], '--thing needs a value.'],
    [['a', '--things', 'x'], 'There is no option --things.'],
    [[], '<box> is missing.'],
  ])('%j is refused', (words, message) => {
    expect(() => readArguments(command, words)).toThrow(new UsageError(message))
  })
})

test('help shows which options may be repeated', () => {
  expect(explainCommand(command)).toContain(
    'Usage: bun relata pack <box> [--fast] [--label <text>] [--thing <thing>]...',
  )
})
