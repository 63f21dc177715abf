import { describe, expect, test } from 'bun:test'
import { ModelVersionConflict } from '#engine/data-model/model'
import { renderActor } from './actor-reference'
import { ADA, attribute, BOB, id, KEY_ACTOR, model } from './testing/sample-model'
import { apiError, operand, read, refusal, store, write } from './testing/try-value'

const actor = attribute('actor-reference')

describe('actor-reference', () => {
  test.each([
    ['ada@relata.dev', ADA],
    [' ADA@Relata.dev ', ADA],
    [BOB.id, BOB],
    [BOB.id.toUpperCase(), BOB],
    [{ workspace_member_email_address: 'Bob@relata.dev' }, BOB],
    [{ referenced_actor_type: 'workspace-member', referenced_actor_id: ADA.id }, ADA],
  ])('%j is a member', async (raw, member) => {
    expect(await store(raw, actor)).toEqual({ actor: member.actor })
    const value = { referenced_actor_type: 'workspace-member', referenced_actor_id: member.id }
    expect(await write(raw, actor)).toEqual(value)
    expect(await write({ ...value, attribute_type: 'actor-reference' }, actor)).toEqual(value)
  })

  test.each(['eve@relata.dev', id(404)])('%s is unknown', async (raw) => {
    expect(await apiError(raw, actor)).toMatchObject({
      status: 400,
      code: 'value_not_found',
      message: `Workspace member with ID "${raw}" not found.`,
    })
  })

  test.each([
    [
      {},
      [
        ['invalid_type', 'referenced_actor_type'],
        ['invalid_type', 'referenced_actor_id'],
      ],
    ],
    [{ referenced_actor_id: ADA.id }, [['invalid_type', 'referenced_actor_type']]],
    [{ referenced_actor_type: 'workspace-member' }, [['invalid_type', 'referenced_actor_id']]],
    [
      { referenced_actor_type: 'api-token', referenced_actor_id: KEY_ACTOR.id },
      [['invalid_option', 'referenced_actor_type']],
    ],
    [
      { referenced_actor_type: 'workspace-member', referenced_actor_id: 'ada' },
      [['invalid_string', 'referenced_actor_id']],
    ],
    [{ workspace_member_email_address: 5 }, [['invalid_type', 'workspace_member_email_address']]],
    [5, [['invalid_type']]],
  ])('%j cannot be written', async (raw, expected) => {
    expect((await refusal(raw, actor)).map(({ code, path }) => [code, ...path])).toEqual(expected)
  })

  test('every type of actor is rendered', () => {
    expect(read({ actor: 0 }, actor)).toEqual({ referenced_actor_type: 'system', referenced_actor_id: null })
    expect(read({ actor: 7 }, actor)).toEqual({ referenced_actor_type: 'api-token', referenced_actor_id: KEY_ACTOR.id })
    expect(JSON.parse(renderActor(model)(0))).toEqual({ type: 'system', id: null })
    expect(JSON.parse(renderActor(model)(5))).toEqual({ type: 'workspace-member', id: ADA.id })
  })

  test('an unknown actor means that the data model is outdated', () => {
    expect(() => read({ actor: 99 }, actor)).toThrow(ModelVersionConflict)
    expect(() => renderActor(model)(99)).toThrow(ModelVersionConflict)
  })

  test.each([
    ['referenced_actor_type', 'workspace-member', [5, 6]],
    ['referenced_actor_type', 'system', [0]],
    ['referenced_actor_type', 'stranger', []],
    ['referenced_actor_id', null, [0]],
    ['referenced_actor_id', ADA.id.toUpperCase(), [5]],
    ['referenced_actor_id', id(404), []],
  ])('%s %j are actors %j', (property, raw, numbers) => {
    expect(operand(raw, actor, property)).toEqual(numbers)
  })
})
