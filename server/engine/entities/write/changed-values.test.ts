import { describe, expect, test } from 'bun:test'
import { attribute, COMPANIES, id, model, PEOPLE } from '#engine/attribute-types/testing/sample-model'
import type { DataModel, ListType } from '#engine/data-model/model'
import type { ChangeEvent } from '#vocabulary/event-types'
import { joinValues, valuesForEvent } from './change-events'
import type { DatedValue } from '#engine/storage/provenance'

const ASKED: DataModel = { ...model, includesValues: true }
const text = attribute('text')
const datedValue = (value: string): DatedValue => ({
  stored: { value },
  active_from: 1_000_000,
  actor: 5,
  writtenFromOtherSide: false,
})
const change = (before: string[], after: string[]) => ({
  attribute: text,
  before: before.map(datedValue),
  after: after.map(datedValue),
})

const list = (workspace_access: ListType['workspace_access']): ListType => ({
  ...PEOPLE,
  kind: 'list',
  name: 'A',
  parentObjects: [COMPANIES],
  workspace_access,
  workspace_member_access: [],
  created_by: 5,
})

describe('valuesForEvent', () => {
  test('returns all values before and after, in the form of the API', () => {
    const values = valuesForEvent(ASKED, PEOPLE, change(['a'], ['a', 'b']))
    const value = (what: string) => ({
      active_from: '1970-01-01T00:00:01.000000000Z',
      active_until: null,
      created_by_actor: { type: 'workspace-member', id: id(11) },
      value: what,
      attribute_type: 'text',
    })
    expect(values?.previous).toBe(JSON.stringify([value('a')]))
    expect(values?.new).toBe(JSON.stringify([value('a'), value('b')]))
  })

  const long = 'x'.repeat(33_000)
  test.each([
    ['no subscription includes values', model, PEOPLE, change([], ['a']), false],
    ['a subscription includes values', ASKED, PEOPLE, change([], ['a']), true],
    ['a list that the workspace may read', ASKED, list('read-only'), change([], ['a']), true],
    ['a private list', ASKED, list(null), change([], ['a']), false],
    ['a long one', ASKED, PEOPLE, change([], [long]), true],
    ['two long ones', ASKED, PEOPLE, change([long], [long]), false],
  ])('%s', (_, dataModel, entityType, changed, hasValues) => {
    expect(valuesForEvent(dataModel, entityType, changed) !== undefined).toBe(hasValues)
  })
})

describe('joinValues', () => {
  const event = (values?: ChangeEvent['values']): ChangeEvent => ({
    event_type: 'record.updated',
    id: { object_id: 'o', record_id: 'r', attribute_id: 'a' },
    ...(values && { values }),
  })
  const first = { previous: '[1]', new: '[2]' }
  const second = { previous: '[2]', new: '[3]' }

  test.each([
    ['from before the first to after the second', first, second, { previous: '[1]', new: '[3]' }],
    ['undefined when the second is undefined', first, undefined, undefined],
    ['undefined when the first is undefined', undefined, second, undefined],
    ['undefined when both are undefined', undefined, undefined, undefined],
  ])('%s', (_, one, other, joined) => {
    expect(joinValues(event(one), event(other))).toEqual(event(joined))
  })
})
