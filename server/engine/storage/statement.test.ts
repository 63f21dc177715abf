import { describe, expect, test } from 'bun:test'
import type { EntityType } from '#engine/data-model/model'
import { compileStatement, rowAsObject, statementFor, statementsByShape, statementText } from './statement'

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

describe('statementsByShape', () => {
  test('builds the text of a shape once, for the first form', () => {
    let built = 0
    const statementOf = statementsByShape(
      ({ kind }: { readonly kind: string; readonly limit: number }) => kind,
      (param, { kind }) => `select ${++built}, '${kind}', ${param('limit')}`,
    )
    const forms = [
      { kind: 'a', limit: 1 },
      { kind: 'b', limit: 2 },
      { kind: 'a', limit: 3 },
    ]
    const [a, b, again] = forms.map(statementOf)
    expect([a?.text, b?.text]).toEqual(["select 1, 'a', $1", "select 2, 'b', $1"])
    expect(again).toBe(a)
  })
})

test('rowAsObject names the columns in their order', () => {
  expect(rowAsObject<{ id: string; size: number }>(['x', 5], ['id', 'size'])).toEqual({ id: 'x', size: 5 })
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
    expect(statementText(value)).toBe(text)
  })
})
