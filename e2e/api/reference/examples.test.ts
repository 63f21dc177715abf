/** Runs every example of the reference in the order of its page, against a new service for each page. */

import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { startService, type Service } from '../../support/service/service'
import { until } from '../../support/until'
import { type Example, type ExampleRequest, readExamples } from './examples'
import { differences, type Named, replaceNames } from './placeholders'

const FOLDER = join(import.meta.dir, '../../../docs/reference')
const PAGES = [...new Bun.Glob('*.md').scanSync({ cwd: FOLDER })].sort()

/** The targets of webhooks must be https, so the URLs of test endpoints are, too. */
const SETTINGS = { RELATA_BASE_URL: 'https://crm.example.com' }

describe('docs/reference', () => {
  test('has pages with examples', async () => {
    const counts = await Promise.all(PAGES.map(async (page) => (await examplesOf(page)).length))
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(8)
  })

  test.each(PAGES)('%s shows the responses of the service', async (page) => {
    const examples = await examplesOf(page)
    if (examples.length === 0) return
    const service = await startService(SETTINGS)
    const named: Named = new Map()
    const problems: string[] = []
    for (const example of examples) problems.push(...(await run(service, page, example, named)))
    expect(await service.close()).toBe(0)
    expect(problems).toEqual([])
  })
})

const examplesOf = async (page: string): Promise<Example[]> => readExamples(await Bun.file(join(FOLDER, page)).text())

/** Returns the differences between the response and the page. */
async function run(service: Service, page: string, { line, request, answer }: Example, named: Named) {
  const prefix = `${page}:${line} ${request.method} ${request.path}: `
  let found: string[] = []
  const look = async () => {
    found = await compare(service, request, answer, named)
    return found.length === 0
  }
  try {
    if (request.isEventual) await until(look, { why: () => `${prefix}${found.join('; ')}` })
    else await look()
  } catch (error) {
    found = [String(error)]
  }
  return found.map((difference) => prefix + difference)
}

async function compare(service: Service, request: ExampleRequest, answer: Example['answer'], named: Named) {
  const { status, headers, body } = await send(service, request, named)
  if (status !== answer.status) return [`${answer.status} is shown, ${status} ${JSON.stringify(body)} was answered`]
  const ofHeaders = Object.entries(answer.headers).flatMap(([name, value]) =>
    differences(value, headers.get(name), named, `header ${name}`),
  )
  return answer.body === undefined ? ofHeaders : [...ofHeaders, ...differences(JSON.parse(answer.body), body, named)]
}

function send({ request }: Service, { method, path, headers, body }: ExampleRequest, named: Named) {
  const sent = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, replaceNames(value, named)] as const),
  )
  return request(method, replaceNames(path, named), body && replaceNames(body, named), {
    ...('Authorization' in sent ? { key: null } : {}),
    headers: sent,
  })
}
