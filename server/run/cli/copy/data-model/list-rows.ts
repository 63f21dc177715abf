import { CommandError } from '#run/cli/command'
import { type ApiClient, isJsonObject } from '#run/cli/copy/api/api-client'
import type { Problems } from '#run/cli/copy/copy-context'
import type { Check } from '#run/cli/copy/shapes'

/** All rows of a resource that answers without pages. Rows of another shape become problems. */
export async function listRows<Row>(
  client: ApiClient,
  path: string,
  isRow: Check<Row>,
  problems: Problems,
): Promise<Row[]> {
  const answer = await client.request('GET', path)
  if (!isJsonObject(answer) || !Array.isArray(answer.data))
    throw new CommandError(`${client.url}${path} answers without the array "data".`)
  const rows: unknown[] = answer.data
  return rows.filter((row, at) => {
    const isValid = isRow(row)
    if (!isValid) problems.add(path, `row ${at}`, 'The answer has a row of another shape.')
    return isValid
  })
}
