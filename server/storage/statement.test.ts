import { describe, expect, test } from 'bun:test'
import type { EntityType } from '../data-model/model'
import { compileStatement, statementFor, textOf } from './statement'

describe('compileStatement', () => {
  test('numbers parameters in the order of their names, each name once', () => {
    const statement = compileStatement((param) => `select ${param('id')}, ${param('version')}, ${param('id')}`)
    expect(statement).toEqual({ text: 'select $1, $2, $1', parameters: ['id', 'version'] })
  })
})

describe('statementFor', () => {
  test('builds the text of a shape once per entity type', () => {
    const entityType = {} as EntityType // only its identity matters
    let written = 0
    const write = () => `select ${++written}`
    const shapes = ['a', 'b', 'a', 'a']
    expect(shapes.map((shape) => statementFor(entityType, shape, write).text)).toEqual([
      'select 1',
      'select 2',
      'select 1',
      'select 1',
    ])
    expect(statementFor({} as EntityType, 'a', write).text).toBe('select 3') // another entity type
  })

  test('caches a limited number of texts, and builds the right one again', () => {
    const entityType = {} as EntityType // as above
    for (let round = 0; round < 1000; round++) {
      expect(statementFor(entityType, `${round}`, () => `select ${round}`).text).toBe(`select ${round}`)
    }
  })
})

describe('textOf', () => {
  test.each([
    ['text', 'text'],
    [null, null],
    [undefined, null],
    [0.5, '0.5'],
    [true, 'true'],
    [['a', null, 'with "quotes", \\ and {braces}'], '{"a",NULL,"with \\"quotes\\", \\\\ and {braces}"}'],
    [[1, 2], '{"1","2"}'],
    [[], '{}'],
    [{ target_object: 2 }, '{"target_object":2}'],
  ])('%j is %j', (value, text) => {
    expect(textOf(value)).toBe(text)
  })
})
