import type { CopyContext } from '#run/cli/copy/copy-context'
import { isList, type SourceList } from '#run/cli/copy/shapes'
import { listRows } from './list-rows'
import { writeDefinition } from './write-definition'

/** Copies the lists, and returns those that the target has now. */
export async function copyLists(context: CopyContext): Promise<SourceList[]> {
  const { source, target, state, problems, tally } = context
  const lists = await listRows(source, '/v2/lists', isList, problems)
  const existing = await listRows(target, '/v2/lists', isList, problems)
  const copied: SourceList[] = []
  for (const list of lists) {
    const known = state.find('list', list.id.list_id)?.id
    const copy =
      existing.find(({ id }) => id.list_id === known) ?? existing.find(({ api_slug }) => api_slug === list.api_slug)
    if (await copyList(context, list, copy)) copied.push(list)
  }
  tally.finish('lists')
  return copied
}

async function copyList(context: CopyContext, list: SourceList, copy: SourceList | undefined): Promise<boolean> {
  const { api_slug, name, workspace_access, parent_object } = list
  const [parent] = parent_object
  if (copy !== undefined && copy.parent_object[0] !== parent) {
    context.problems.add('list', api_slug, `The list of the target has another parent object than ${parent}.`)
    context.tally.add('lists', 'not copied')
    return false
  }
  const members = { api_slug, name, workspace_access, workspace_member_access: convertAccess(context, list) }
  return writeDefinition(context, {
    kind: 'list',
    section: 'lists',
    sourceId: list.id.list_id,
    name: api_slug,
    path: '/v2/lists',
    copy,
    copyId: copy?.id.list_id,
    idMember: 'list_id',
    create: { ...members, parent_object: parent },
    changes: members,
  })
}

const convertAccess = ({ members, problems }: CopyContext, { api_slug, workspace_member_access }: SourceList) =>
  workspace_member_access.flatMap(({ workspace_member_id, level }) => {
    const member = members.get(workspace_member_id)
    if (member !== undefined) return [{ workspace_member_id: member, level }]
    problems.add('list', api_slug, `The target has no member ${workspace_member_id} who has access.`)
    return []
  })
