import { describe, expect, test } from 'bun:test'
import { outputTemplate } from './definition/columns'
import { attribute, id, model, OPTIONS, WORKSPACE_ID } from './testing/sample-model'
import { apiError, operand, refusal, store, write } from './testing/try-value'

const status = attribute('status')
const [lead, progress, won, lost] = OPTIONS

describe('status', () => {
  test.each([
    ['Lead', lead],
    ['Won', won],
    [' Won 🎉', won],
    [progress.id, progress],
  ])('%s is found', async (raw, option) => {
    expect(await store(raw, status)).toEqual({ status: option.number })
    expect(await store({ status: raw }, status)).toEqual({ status: option.number })
  })

  test('is rendered as the whole status, and can be written back', async () => {
    const value = await write('In Progress', status)
    expect(value).toEqual({
      status: {
        id: { workspace_id: WORKSPACE_ID, object_id: id(31), attribute_id: status.id, status_id: progress.id },
        title: 'In Progress',
        is_archived: false,
        celebration_enabled: false,
        target_time_in_status: 'P7D',
      },
    })
    expect(await write({ ...value, attribute_type: 'status' }, status)).toEqual(value)
    expect(await write('Won', status)).toMatchObject({
      status: { celebration_enabled: true, target_time_in_status: null },
    })
  })

  test.each(['lead', 'Lost', lost.id, 'Twin', 'Nothing'])('%s is refused', async (raw) => {
    expect(await apiError(raw, status)).toMatchObject({
      status: 400,
      code: 'value_not_found',
      message: `Cannot find Status with status option title "${raw}" for attribute with slug "status".`,
      extra: { valid_options: ['Lead', 'In Progress', 'Won 🎉', 'Twin 🚀', 'Twin 🌍'] },
    })
  })

  test('an empty title is refused', async () => {
    expect(await refusal('', status)).toMatchObject([{ code: 'too_small', path: ['status'] }])
  })

  test('archived statuses are searched', () => {
    expect(operand('Lost', status, 'status')).toBe(24)
    expect(() => operand('Nothing', status, 'status')).toThrow('status option title "Nothing"')
  })

  test('is in default values by its id', () => {
    expect(outputTemplate(status, model, { status: 21 })).toEqual({ status: lead.id, attribute_type: 'status' })
  })
})
