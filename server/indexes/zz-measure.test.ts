import { test } from 'bun:test'
import { testService } from '../testing/service'
import { createIndexWatch } from './watch'
import { createIndexWorker } from './worker'
import { seedThings } from '../testing/many-things'
import { compilePage } from '../query/statement'
import { resolveQuery } from '../query/resolve-query'
import { missingIndexes } from '../query/serving'
import { getObject } from '../data-model/find'
test('m', async () => {
  const s = await testService({}, (db, now) => ({ indexes: createIndexWatch({ db, now, fromRows: 1000 }) }))
  await seedThings(s, 200000)
  const worker = createIndexWorker({ db: s.db, url: s.url, now: s.platform.now, unusedDays: 30 })
  const time = async (body: object) => {
    const model = await s.platform.models.reload(s.workspaceId); const things = getObject(model, 'things')
    const { text, parameters } = compilePage(model, things, resolveQuery(model, things, body), 'h.*')
    const all: number[] = []
    for (let i = 0; i < 7; i++) { const t = performance.now(); await s.db.sql.unsafe(text, [...parameters], { prepare: false }).values(); all.push(performance.now() - t) }
    return all.sort((a, b) => a - b)[3]!
  }
  const W = 'c4ca4238a0b923820dcc509a6f75849b'
  for (const body of [
    { filter: { name: W.toUpperCase() }, limit: 50 }, { filter: { name: { $starts_with: 'c4ca4' } }, limit: 50 }, { filter: { name: { $contains: 'ca4238' } }, limit: 50 },
    { filter: { amount: 7.5 }, limit: 50 }, { sorts: [{ attribute: 'amount', direction: 'desc' }], limit: 50 },  { sorts: [{ attribute: 'name', direction: 'desc' }], limit: 50 },
    { filter: { mails: { email_domain: 'c4c.com' } }, limit: 50 }, { filter: { sites: { $contains: 'ca4238' } }, limit: 50 }, { filter: { sites: 'x.com' }, limit: 50 },
  ]) {
    const before = await time(body)
    for (let i = 0; i < 3; i++) await s.request('POST', '/v2/objects/things/records/query', body)
    await s.platform.indexes.flush()
    const built = []; for (let n; (n = await worker.buildNext()) !== undefined; ) built.push(n)
    const after = await time(body)
    console.log(JSON.stringify(body), before.toFixed(1), after.toFixed(2), (before / after).toFixed(0) + 'x', built.join())
  }
  const model = await s.platform.models.reload(s.workspaceId); const things = getObject(model, 'things')
  const q = resolveQuery(model, things, { filter: { $and: [{ name: W }, { amount: { $gt: 3 } }, { sites: { $contains: 'abc' } }] }, sorts: [{ attribute: 'name', direction: 'asc' }] })
  const t = performance.now(); for (let i = 0; i < 100000; i++) missingIndexes(model, q); console.log('missing µs', (performance.now() - t) / 100)
  await s.close()
}, 300000)
