import { describe, expect, test } from 'bun:test'
import { runCommand } from '#testing/command-line'
import { useTestService } from '#testing/use-service'
import { objectSet } from '#run/cli/workspace/parts'

const service = useTestService()

async function set(object: string, enabled: string): Promise<string[]> {
  const lines = await runCommand(service, objectSet, [object, '--enabled', enabled, '--workspace', 'workspace-1'])
  await service.appContext.models.reload(service.workspaceId)
  return lines
}
const slugs = async () =>
  (await service.request('GET', '/v2/objects')).body.data.map(({ api_slug }: { api_slug: string }) => api_slug)

describe('object set', () => {
  test('off disables the object: it is not listed, its path is refused, and attributes that refer to it are hidden', async () => {
    expect(await set('deals', 'off')).toEqual(['The object deals is off.'])
    expect(await slugs()).not.toContain('deals')
    const refused = await service.request('POST', '/v2/objects/deals/records', { data: { values: {} } })
    expect([refused.status, refused.body.code]).toEqual([400, 'standard_object_disabled'])
    const person = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    expect(person.body.data.values).not.toHaveProperty('associated_deals')
  })

  test('on enables the object and shows these attributes again', async () => {
    await set('deal', 'on')
    expect(await slugs()).toContain('deals')
    const person = await service.request('POST', '/v2/objects/people/records', { data: { values: {} } })
    expect(person.body.data.values.associated_deals).toEqual([])
  })

  test('refuses an unknown standard object and other arguments', async () => {
    expect(set('nothing', 'on')).rejects.toThrow('has no object "nothing"')
    expect(set('deals', 'maybe')).rejects.toThrow('--enabled is on or off')
  })
})
