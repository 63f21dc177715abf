import { hasCitus, moveSchema } from '#db/citus'
import { workspaceSchemaName } from '#engine/data-model/names'
import { CommandError, defineCommand, UsageError } from '#run/cli/command'
import { getWorkspace } from '#run/cli/find-workspace'

export const workspaceMove = defineCommand({
  name: 'workspace move',
  summary: 'Moves the tables of a workspace to another node of a Citus cluster, while they are in use.',
  positionals: ['<slug>'],
  options: {
    node: {
      kind: 'text',
      value: '<host:port>',
      description: 'The node, as the cluster knows it: see select * from pg_dist_node.',
      isRequired: true,
    },
  },
  async run({ options, positionals: [given] }, { db, print }) {
    const node = readNode(options.node)
    const { number, slug } = await getWorkspace(db, given)
    if (!(await hasCitus(db.sql))) throw new CommandError('The database lacks the extension citus 12.1 or newer.')
    await moveSchema(db.sql, workspaceSchemaName(number), node).catch((error: Error) => {
      throw new CommandError(`Citus did not move the workspace: ${error.message}`)
    })
    print(`The tables of ${slug} are on ${options.node}.`)
    return 0
  },
})

const MAX_NODE_LENGTH = 300
const NODE = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/i

function readNode(text: string): { host: string; port: number } {
  const [, address, name, digits] = (text.length <= MAX_NODE_LENGTH && NODE.exec(text)) || []
  const host = address ?? name
  const port = Number(digits)
  if (host === undefined || port === 0 || port > 65_535)
    throw new UsageError(`--node is a host and a port, such as worker-2:5432, not "${text.slice(0, MAX_NODE_LENGTH)}".`)
  return { host, port }
}
