import { expect, test } from 'bun:test'
import { leastUsedColor, optionIn, toneOf } from './option'
import { OPTION_COLORS } from '#vocabulary/data-model'

const option = (color?: string) => ({
  id: { option_id: crypto.randomUUID() },
  title: 'Option',
  is_archived: false,
  ...(color !== undefined && { color }),
})

test('an option has its color, or one that its id decides', () => {
  expect(optionIn(option('pink')).tone).toBe(OPTION_COLORS.indexOf('pink'))
  expect(toneOf('an id')).toBe(toneOf('an id'))
  expect(optionIn(undefined)).toMatchObject({ title: '…' })
})

test('a new option gets the least used color, the first one of several', () => {
  expect(leastUsedColor([])).toBe('indigo')
  expect(leastUsedColor(['indigo', 'green', 'green'].map(option))).toBe('orange')
  expect(leastUsedColor(OPTION_COLORS.map(option))).toBe('indigo')
})
