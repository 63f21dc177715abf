import { listIndexes, type ListedIndex } from '#engine/indexes/manage'
import { defineCommand } from '#run/cli/command'
import { getWorkspace, WORKSPACE_OPTION } from '#run/cli/find-workspace'
import { renderTable } from '#run/cli/table'

const HEADINGS = ['name', 'of', 'kind', 'state', 'size', 'scans', 'requests', 'last used', 'built in', 'requested by']

export const indexesList = defineCommand({
  name: 'indexes list',
  summary: 'Lists the indexes of the index advisor with their state, and queries that requested them.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    for (const line of renderTable(HEADINGS, (await listIndexes(db, id)).flatMap(rowsOf))) print(line)
    return 0
  },
})

/** One row for the index, and one for each further query that requested it. */
function rowsOf(index: ListedIndex): string[][] {
  const [first = '', ...others] = index.requested_by
  return [[...cells(index), first], ...others.map((query) => [...HEADINGS.slice(1).map(() => ''), query])]
}

const cells = (index: ListedIndex): string[] => [
  index.name,
  [index.entityType, index.attributes.join('+')].filter((each) => each !== '').join('.'),
  index.kind,
  stateOf(index),
  index.size ?? '',
  index.scans === null ? '' : String(index.scans),
  String(index.requests),
  index.last_used_at?.slice(0, 16) ?? '',
  index.build_ms === null ? '' : `${(index.build_ms / 1000).toFixed(1)} s`,
]

const stateOf = ({ state, is_pinned, error }: ListedIndex): string => {
  const shown = state === 'ready' && is_pinned ? 'pinned' : state
  return error === null ? shown : `${shown}: ${error}`
}
