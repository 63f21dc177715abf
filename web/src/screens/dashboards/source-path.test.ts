import { expect, test } from 'bun:test'
import { sourcePath } from './source-path'

test('the source of a chart', () => {
  const known = {
    objects: [{ id: { object_id: 'o' }, api_slug: 'deals' }],
    lists: [{ id: { list_id: 'l' }, api_slug: 'pipeline' }],
  }
  expect(sourcePath({ source: { object: 'o' } }, known)).toEqual({ kind: 'objects', slug: 'deals' })
  expect(sourcePath({ source: { list: 'l' } }, known)).toEqual({ kind: 'lists', slug: 'pipeline' })
  expect(sourcePath({ source: { list: 'x' } }, known)).toBeUndefined()
  expect(sourcePath({ source: { saved_query_id: 'q' } }, known)).toBeUndefined()
})
