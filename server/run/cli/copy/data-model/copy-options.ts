import type { Json } from '#run/cli/copy/api/api-client'
import type { CopyContext } from '#run/cli/copy/copy-context'
import { type Attribute, isOption, type Option } from '#run/cli/copy/shapes'
import { listRows } from './list-rows'
import { writeDefinition } from './write-definition'

interface OptionResource {
  readonly name: string
  readonly idMember: 'option_id' | 'status_id'
  membersOf(option: Option): Json
}

/** The types of attributes that have options. */
const RESOURCES: ReadonlyMap<string, OptionResource> = new Map<string, OptionResource>([
  ['select', { name: 'options', idMember: 'option_id', membersOf: ({ title, color = null }) => ({ title, color }) }],
  [
    'status',
    {
      name: 'statuses',
      idMember: 'status_id',
      membersOf: ({ title, color = null, celebration_enabled = false, target_time_in_status = null }) => ({
        title,
        color,
        celebration_enabled,
        target_time_in_status,
      }),
    },
  ],
])

/** Copies the options or statuses of an attribute, if it can have any. `path` is the path of its entity type. */
export async function copyOptions(context: CopyContext, path: string, { api_slug, type }: Attribute): Promise<void> {
  const options = RESOURCES.get(type)
  if (options !== undefined) await copyAll(context, `${path}/attributes/${api_slug}/${options.name}`, api_slug, options)
}

async function copyAll(
  context: CopyContext,
  resource: string,
  api_slug: string,
  { idMember, membersOf }: OptionResource,
): Promise<void> {
  const [options, existing] = [
    await listRows(context.source, `${resource}?show_archived=true`, isOption, context.problems),
    await listRows(context.target, `${resource}?show_archived=true`, isOption, context.problems),
  ]
  for (const option of options) {
    const name = `${api_slug}: ${option.title}`
    const sourceId = option.id[idMember]
    if (sourceId === undefined) {
      context.problems.add('option', name, `The source answers the option without ${idMember}.`)
      continue
    }
    const known = context.state.find('option', sourceId)?.id
    const copy = existing.find(({ id }) => id[idMember] === known) ?? existing.find(hasTitleOf(option))
    if (copy === undefined && option.is_archived) {
      context.problems.add('option', name, 'Archived options are not copied.')
      continue
    }
    const members = membersOf(option)
    await writeDefinition(context, {
      kind: 'option',
      section: 'options',
      sourceId,
      name,
      path: resource,
      copy,
      copyId: copy?.id[idMember],
      idMember,
      create: members,
      changes: { ...members, is_archived: option.is_archived },
    })
  }
}

/** Titles are unique in any case. */
const hasTitleOf =
  ({ title }: Option) =>
  (other: Option) =>
    other.title.toLowerCase() === title.toLowerCase()
