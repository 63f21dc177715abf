import { describe, expect, test } from 'bun:test'
import { ADA, attribute, id } from './testing/sample-model'
import { apiError, operand, read } from './testing/try-value'

const interaction = attribute('interaction')
const OUTPUT = {
  interaction_type: 'email',
  interacted_at: '2025-07-22T15:07:00.895000000Z',
  owner_actor: { type: 'workspace-member', id: ADA.id },
}

describe('interaction', () => {
  test('is rendered', () => {
    const stored = { interaction_type: 'email', interacted_at: '2025-07-22 15:07:00.895+00', owner_actor: ADA.actor }
    expect(read(stored, interaction)).toEqual(OUTPUT)
    expect(read({ ...stored, owner_actor: null }, interaction)).toMatchObject({
      owner_actor: { type: 'system', id: null },
    })
  })

  test('is refused as input', async () => {
    expect(await apiError(OUTPUT, interaction)).toMatchObject({ status: 400, code: 'immutable_value' })
  })

  test('is searched by member, kind and time', () => {
    expect(operand(ADA.id, interaction, 'owner_member_id')).toEqual([ADA.actor])
    expect(operand(id(404), interaction, 'owner_member_id')).toEqual([])
    expect(operand('email', interaction, 'interaction_type')).toBe('email')
    expect(operand('2025-07-22', interaction, 'interacted_at', '$lt')).toBe('2025-07-22 00:00:00+00')
  })
})
