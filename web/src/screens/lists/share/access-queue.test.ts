import { describe, expect, test } from 'bun:test'
import { withMember, withOwner, withWorkspaceAccess } from './access-changes'
import { type Access, AccessQueue } from './access-queue'

const ME = 'me'
const member = (workspace_member_id: string, level: 'full-access' | 'read-and-write' | 'read-only') => ({
  workspace_member_id,
  level,
})

/** A service with one list, whose answers wait until the test lets them go. */
function startService(access: Access) {
  const service = {
    access,
    reads: 0,
    written: [] as Access[],
    refuses: false,
    waiting: [] as (() => void)[],
    answer: async () => {
      while (service.waiting.length === 0) await Promise.resolve()
      service.waiting.shift()?.()
    },
  }
  const queue = new AccessQueue<Access>({
    read: () => {
      service.reads += 1
      return Promise.resolve(service.access)
    },
    write: async (next) => {
      service.written.push(next)
      await new Promise<void>((resolve) => service.waiting.push(resolve))
      if (service.refuses) throw new Error('refused')
      service.access = next
      return next
    },
  })
  return { service, queue }
}

const START: Access = { workspace_access: 'read-only', workspace_member_access: [member(ME, 'full-access')] }

describe('changes of the access to a list', () => {
  test('a change that is made before the last one is saved keeps it', async () => {
    const { service, queue } = startService(START)
    const first = queue.save(withWorkspaceAccess('full-access'))
    const second = queue.save((access) => withOwner(withMember(ME, 'none')(access), ME))
    await service.answer()
    await first
    await service.answer()
    expect(await second).toEqual({ workspace_access: 'full-access', workspace_member_access: [] })
    expect(service.written).toHaveLength(2)
  })

  test('members who are added at once are all added', async () => {
    const { service, queue } = startService(START)
    const saves = ['a', 'b', 'c'].map((id) => queue.save(withMember(id, 'read-and-write')))
    for (const save of saves) {
      await service.answer()
      await save
    }
    expect(service.access.workspace_member_access.map((one) => one.workspace_member_id)).toEqual([ME, 'a', 'b', 'c'])
    expect(service.reads).toBe(1)
  })

  test('a change behind a refused one is computed from the list without it', async () => {
    const { service, queue } = startService(START)
    const refused = queue.save(withMember('a', 'read-only')).catch((error: Error) => error.message)
    const next = queue.save(withMember('b', 'read-only'))
    service.refuses = true
    await service.answer()
    expect(await refused).toBe('refused')
    service.refuses = false
    await service.answer()
    expect((await next).workspace_member_access).toEqual([member(ME, 'full-access'), member('b', 'read-only')])
  })

  test('a change after a pause is computed from the list that other people may have changed', async () => {
    const { service, queue } = startService(START)
    const first = queue.save(withMember('a', 'read-only'))
    await service.answer()
    await first
    service.access = withMember('other', 'read-only')(service.access)
    const second = queue.save(withMember('a', 'none'))
    await service.answer()
    expect((await second).workspace_member_access).toEqual([member(ME, 'full-access'), member('other', 'read-only')])
  })
})

describe('the member who keeps full access', () => {
  const others = [member('a', 'read-only')]

  test.each([
    ['nobody else has it', 'read-only', others, [...others, member(ME, 'full-access')]],
    ['the own level is less', null, [member(ME, 'read-only')], [member(ME, 'full-access')]],
    ['everyone has it', 'full-access', others, others],
    ['another member has it', null, [member('a', 'full-access')], [member('a', 'full-access')]],
  ] as const)('%s', (_, workspace_access, members, expected) => {
    const access = withOwner({ workspace_access, workspace_member_access: [...members] }, ME)
    expect(access.workspace_member_access).toEqual([...expected])
  })
})
