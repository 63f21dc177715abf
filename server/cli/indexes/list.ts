import { listIndexes, type ListedIndex } from '../../indexes/manage'
import { defineCommand } from '../command'
import { getWorkspace, WORKSPACE_OPTION } from '../find-workspace'
import { renderTable } from '../table'

const HEADINGS = ['name', 'of', 'kind', 'state', 'size', 'scans', 'requests', 'last used', 'built in']

export const indexesList = defineCommand({
  name: 'indexes list',
  summary: 'Lists the indexes of the index advisor with their state.',
  options: { workspace: WORKSPACE_OPTION },
  async run({ options }, { db, print }) {
    const { id } = await getWorkspace(db, options.workspace)
    for (const line of renderTable(HEADINGS, (await listIndexes(db, id)).map(cells))) print(line)
    return 0
  },
})

const cells = (index: ListedIndex): string[] => [
  index.name,
  index.attribute === null ? index.entityType : `${index.entityType}.${index.attribute}`,
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
