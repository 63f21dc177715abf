/** Comments cite the reference by page and heading, `docs/reference/values.md (Currency)`. Both must exist. */

import { expect, test } from 'bun:test'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const SOURCES = new Bun.Glob('{server,db,web,e2e}/**/*.{ts,svelte,sql,css}')
const CITATION = /docs\/reference\/([\w-]+)\.md(?: \(([^)]*)\))?/g

/** Joins the lines of comments, because a citation may continue on the next line. */
const joined = (source: string): string => source.replaceAll(/\n\s*(?:\*|\/\/|--)\s/g, ' ')

async function headingsOf(page: string): Promise<ReadonlySet<string> | undefined> {
  const file = Bun.file(join(ROOT, 'docs/reference', `${page}.md`))
  if (!(await file.exists())) return undefined
  return new Set([...(await file.text()).matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) => heading))
}

test('every citation names a page and headings that exist', async () => {
  const wrong: string[] = []
  let cited = 0
  for await (const path of SOURCES.scan({ cwd: ROOT })) {
    const source = joined(await Bun.file(join(ROOT, path)).text())
    for (const [citation, page = '', named] of source.matchAll(CITATION)) {
      cited += 1
      const headings = await headingsOf(page)
      const isThere = headings !== undefined && (named?.split(', ') ?? []).every((heading) => headings.has(heading))
      if (!isThere) wrong.push(`${path}: ${citation}`)
    }
  }
  expect(wrong).toEqual([])
  expect(cited).toBeGreaterThan(1)
})
