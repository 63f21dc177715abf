import { describe, expect, test } from 'bun:test'
import { ModelVersionConflict } from '#engine/data-model/model'
import { outputTemplate } from './definition/columns'
import { byPosition } from './definition/properties'
import { attributeType } from './registry'
import { attribute, id, model, OPTIONS, WORKSPACE_ID } from './testing/sample-model'
import { apiError, operand, read, refusal, store, write } from './testing/try-value'

const select = attribute('select')
const [lead, progress, won, lost] = OPTIONS

describe('select', () => {
  test.each([
    ['Lead', lead],
    ['  In Progress ', progress],
    ['Won 🎉', won],
    ['Won', won],
    [won.id, won],
    [won.id.toUpperCase(), won],
    ['Twin 🌍', OPTIONS[5]],
  ])('%s is found', async (raw, option) => {
    expect(await store(raw, select)).toEqual({ option: option.number })
    expect(await store({ option: raw }, select)).toEqual({ option: option.number })
  })

  test('is rendered as the whole option, and can be written back', async () => {
    const value = await write('Won', select)
    expect(value).toEqual({
      option: {
        id: { workspace_id: WORKSPACE_ID, object_id: id(31), attribute_id: select.id, option_id: won.id },
        title: 'Won 🎉',
        is_archived: false,
      },
    })
    expect(await write({ ...value, attribute_type: 'select' }, select)).toEqual(value)
  })

  test.each(['won', 'Lost', lost.id, 'Twin', 'Nothing', id(999), '   ', '🎉'])('%s is refused', async (raw) => {
    expect(await apiError(raw, select)).toMatchObject({
      status: 400,
      code: 'value_not_found',
      message: `Cannot find select attribute with select option title "${raw}" for attribute with slug "select".`,
      extra: { valid_options: ['Lead', 'In Progress', 'Won 🎉', 'Twin 🚀', 'Twin 🌍'] },
    })
  })

  test.each([
    ['', 'too_small', ['option']],
    [5, 'invalid_type', ['option']],
    [{}, 'invalid_type', ['option']],
    [{ option: {} }, 'invalid_type', ['option']],
    [{ option: { id: { option_id: 5 } } }, 'invalid_type', ['option']],
    [['Lead'], 'invalid_type', []],
  ])('%j is refused', async (raw, code, path) => {
    expect(await refusal(raw, select)).toMatchObject([{ code, path }])
  })

  test('an id is tried before a title that looks like it', async () => {
    const twisted = attribute('select', { options: [{ ...lead, title: progress.id }, progress] })
    expect(await store(progress.id, twisted)).toEqual({ option: progress.number })
  })

  test('archived options are rendered and searched', () => {
    expect(read({ option: 24 }, select)).toMatchObject({ option: { title: 'Lost', is_archived: true } })
    expect(operand('Lost', select, 'option')).toBe(24)
    expect(() => operand('Nothing', select, 'option')).toThrow('select option title "Nothing"')
  })

  test('an unknown option means that the data model is outdated', () => {
    expect(() => read({ option: 99 }, select)).toThrow(ModelVersionConflict)
  })

  test('is in default values by its id', () => {
    expect(outputTemplate(select, model, { option: 23 })).toEqual({ option: won.id, attribute_type: 'select' })
  })

  test('sorts by position', () => {
    expect(attributeType('select').properties.option).toHaveProperty('ranked')
    expect(byPosition(select)).toEqual([21, 22, 23, 24, 25, 26])
  })

  test('active_from is searched by timestamps and dates', () => {
    expect(operand('2025-01-02', select, 'active_from', '$gte')).toBe('2025-01-02 00:00:00+00')
  })
})
