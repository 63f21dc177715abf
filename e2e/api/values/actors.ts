/** References to actors. See docs/reference/values.md (Actor reference). */

import { describe, expect, test } from 'bun:test'
import { ADMIN } from '../../support/fixtures/every-type'
import { createRecord, ownMembers, refuses } from '../../support/fixtures/value-cases'
import { service } from './service'

const at = (attribute: string, object?: string) => () => service().place(attribute, object)

const NOBODY = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('actor-reference', () => {
  /** `ID` stands for the member's id. */
  const forms: readonly unknown[] = [
    'ID',
    ['ID'],
    ADMIN,
    ADMIN.toUpperCase(),
    { workspace_member_email_address: ADMIN },
    [{ workspace_member_email_address: 'Admin@Relata.LOCAL' }],
    { referenced_actor_type: 'workspace-member', referenced_actor_id: 'ID' },
    { referenced_actor_type: 'workspace-member', referenced_actor_id: 'ID', active_from: 'ignored' },
  ]
  test.each(forms.map((form) => JSON.stringify(form)))('200 %s', async (text) => {
    const { request, member } = service()
    const { body } = await createRecord(request, 'everything', { member: JSON.parse(text.replace('ID', member.id)) })
    const reads = [{ referenced_actor_type: 'workspace-member', referenced_actor_id: member.id }]
    expect(ownMembers(body.data.values.member)).toEqual(reads)
  })

  refuses(at('member'), [
    { send: NOBODY, code: 'value_not_found', says: [`Workspace member with ID "${NOBODY}" not found`] },
    { send: 'nobody@relata.dev', code: 'value_not_found', says: ['nobody@relata.dev'] },
    {
      send: { workspace_member_email_address: 'nobody@relata.dev' },
      code: 'value_not_found',
      says: ['nobody@relata.dev'],
    },
    {
      send: { referenced_actor_type: 'api-token', referenced_actor_id: NOBODY },
      code: 'validation_type',
      at: ['referenced_actor_type'],
    },
    { send: { referenced_actor_type: 'system', referenced_actor_id: null }, code: 'validation_type' },
    { send: { referenced_actor_type: 'workspace-member' }, code: 'validation_type', at: ['referenced_actor_id'] },
    { send: { referenced_actor_id: NOBODY }, code: 'validation_type', at: ['referenced_actor_type'] },
    {
      send: { referenced_actor_type: 'workspace-member', referenced_actor_id: 'x' },
      code: 'validation_type',
      at: ['referenced_actor_id'],
    },
    { send: {}, code: 'validation_type', says: ['"member"'] },
    { send: 5, code: 'validation_type' },
  ])

  test('200 with the token of the request as created_by', async () => {
    const { request } = service()
    const { body } = await createRecord(request, 'everything', {})
    const [by] = body.data.values.created_by
    expect(by.referenced_actor_type).toBe('api-token')
    expect(by.created_by_actor).toEqual({ type: 'api-token', id: by.referenced_actor_id })
  })
})
