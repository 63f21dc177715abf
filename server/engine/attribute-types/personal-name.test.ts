import { describe, expect, test } from 'bun:test'
import { attribute } from './testing/sample-model'
import { refusal, store, write } from './testing/try-value'

const name = attribute('personal-name')

describe('personal-name', () => {
  test.each([
    ['Smith, John', 'John', 'Smith', 'John Smith'],
    ['Smith, John, Jr', 'John, Jr', 'Smith', 'John, Jr Smith'],
    ['John Smith', 'John Smith', '', 'John Smith'],
    ['Smith,', '', 'Smith', 'Smith'],
    [', John', 'John', '', 'John'],
    ['  Ó Briain ,  Séan "S" ', 'Séan "S"', 'Ó Briain', 'Séan "S" Ó Briain'],
  ])('%j', async (raw, first_name, last_name, full_name) => {
    expect(await write(raw, name)).toEqual({ first_name, last_name, full_name })
  })

  test('the full name is stored unchanged', async () => {
    const given = { first_name: 'John', last_name: 'Smith', full_name: 'Johnny' }
    expect(await write(given, name)).toEqual(given)
    expect(await write({ ...given, last_name: '' }, name)).toEqual({ ...given, last_name: '' })
  })

  test.each(['', ' , ', { first_name: '', last_name: '', full_name: '' }])('%j clears', async (raw) => {
    expect(await store(raw, name)).toBeUndefined()
  })

  test('all three members are required', async () => {
    expect(await refusal({}, name)).toEqual(
      ['first_name', 'last_name', 'full_name'].map((member) => ({
        code: 'invalid_type',
        path: [member],
        message: 'Required',
        expected: 'string',
        received: 'undefined',
      })),
    )
  })

  test('each member has at most 2,000 characters', async () => {
    const [longest, tooLong] = ['x'.repeat(2000), 'x'.repeat(2001)]
    expect(await write({ first_name: longest, last_name: '', full_name: longest }, name)).toMatchObject({
      first_name: longest,
    })
    expect(await refusal({ first_name: tooLong, last_name: 'Smith', full_name: tooLong }, name)).toMatchObject([
      { code: 'too_big', path: ['first_name'], maximum: 2000 },
      { code: 'too_big', path: ['full_name'], maximum: 2000 },
    ])
    expect(await refusal(tooLong, name)).toMatchObject([
      { code: 'too_big', path: ['first_name'] },
      { code: 'too_big', path: ['full_name'] },
    ])
  })

  test('members are strings', async () => {
    expect(await refusal({ first_name: null, last_name: 'Smith', full_name: 5 }, name)).toMatchObject([
      { code: 'invalid_type', path: ['first_name'], received: 'null' },
      { code: 'invalid_type', path: ['full_name'], received: 'number' },
    ])
    expect(await refusal(5, name)).toMatchObject([{ code: 'invalid_type', path: [], received: 'number' }])
  })
})
