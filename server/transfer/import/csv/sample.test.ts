import { describe, expect, test } from 'bun:test'
import { Readable } from 'node:stream'
import { EVERYTHING, model } from '#engine/attribute-types/testing/sample-model'
import { completeMapping } from '#transfer/import/mapping/propose-mapping'
import { sampleColumns } from './csv'

const fileOf = (lines: readonly string[]) => ({
  delimiter: ',',
  open: () => Readable.from([Buffer.from(lines.join('\n'))]),
})
const rowOf = (count: number, cell: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => cell(index)).join(',')

describe('sampleColumns', () => {
  test('accepts 1000 columns, and reads fewer rows when there are many columns', async () => {
    const rows = Array.from({ length: 300 }, () => rowOf(1000, String))
    const { columns } = await sampleColumns(fileOf([rowOf(1000, (index) => `Column ${index}`), ...rows]))
    expect([columns.length, columns[0]?.sample.length, columns[999]?.sample.length]).toEqual([1000, 100, 100])
  })

  test('keeps the beginning of a long cell', async () => {
    const { columns } = await sampleColumns(fileOf(['A', 'x'.repeat(5000)]))
    expect(columns[0]?.sample).toEqual(['x'.repeat(1000)])
  })

  test.each([
    [1001, /more than 1000 columns/],
    [20_000, /more than 1000 columns/],
  ])('refuses %d columns', async (count, message) => {
    await expect(sampleColumns(fileOf([rowOf(count, (index) => `Column ${index}`)]))).rejects.toThrow(message)
  })
})

describe('completeMapping', () => {
  test('each column gets its own slug, also when their names become equal', async () => {
    const columns = ['北京', '上海', 'Column 3', '東京', 'Ünit'].map((name) => ({ name, sample: ['some text'] }))
    const { columns: mapped } = await completeMapping(model, EVERYTHING, columns, {
      mapping: undefined,
      pairs: new Map(),
    })
    expect([...mapped].map(([name, target]) => [name, target?.slug])).toEqual([
      ['北京', 'column'],
      ['上海', 'column_2'],
      ['Column 3', 'column_3'],
      ['東京', 'column_4'],
      ['Ünit', 'u_nit'],
    ])
  })
})
