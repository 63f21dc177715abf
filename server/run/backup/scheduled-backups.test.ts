/** Backups that the service makes by itself. One database, whose row of the schedule each case begins anew. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backupQueue, readBackupState } from '#access/installation/backup-schedule'
import { endLeasesOf, takeDue } from '#engine/queue'
import { createMetrics } from '#api/http/monitoring/metrics'
import { renderFamilies } from '#base/monitoring/metric-families'
import { holdSending, ORIGINAL, startAt } from '#testing/installation'
import { type Person, signedIn } from '#testing/people'
import { testService, type TestService } from '#testing/service'
import { openRepository } from './format'
import { type BackupWorkerContext, backupWorker, watchBackups } from './scheduled-backups'
import { openTarget } from './target'

const DAY = 86_400_000_000
const MINUTE = 60_000_000
const START = Date.parse('2026-03-01T10:00:00Z') * 1000

let service: TestService
let root: string
let place: string
let cases = 0
/** The service knows the place of the present case. */
const setting = {
  get place() {
    return place
  },
  every: DAY,
  retention: { count: 2 },
}
let admin: Person
let member: Person

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'relata-scheduled-'))
  place = root
  service = await testService({ backups: setting })
  admin = await signedIn(service)
  member = await signedIn(service, { [service.workspaceId]: 'member' })
})
afterAll(async () => {
  rmSync(root, { recursive: true, force: true })
  await service.close()
})
beforeEach(async () => {
  place = join(root, String(++cases))
  service.setNow(START)
  await service.db.sql`delete from relata.backup_schedule`
})

const contextOf = (changes: Partial<BackupWorkerContext> = {}): BackupWorkerContext => ({
  ...service.appContext,
  backups: {
    ...setting,
    retention: { count: 2 },
    open: () => openRepository(openTarget(place, undefined), undefined, 'may be new'),
  },
  ...changes,
})

/** Runs the worker until nothing is due. */
async function work(context = contextOf()): Promise<void> {
  const worker = backupWorker.start(context)
  await worker.settled()
  await worker.stop()
}

const backups = () => {
  try {
    return readdirSync(join(place, 'backups'))
  } catch {
    return []
  }
}
const state = async () => {
  const found = await readBackupState(service.db.sql, setting, service.appContext.now())
  if (found === undefined) throw new Error('The worker has made the row.')
  return found
}
const consoleState = async (person = admin) =>
  (await person.ask('GET', `/console/api/workspaces/${service.workspaceId}/installation/backups`)).body.data
const inboxNotice = async (person: Person) =>
  (await person.ask('GET', `/console/api/workspaces/${service.workspaceId}/inbox`)).body.overdue_backup

/** Makes every backup fail. */
const blockPlace = () => writeFileSync(place, '')

describe('scheduled backups', () => {
  test('one is made at first, then one each time that it is due, and old ones are removed', async () => {
    await work()
    expect(backups()).toHaveLength(1)
    expect(await state()).toMatchObject({ last: { at: START }, failures: 0, isOverdue: false })
    expect((await state()).last?.bytes).toBeGreaterThan(1000)
    await work()
    expect(backups()).toHaveLength(1)
    const first = backups()
    for (const day of [1, 2]) {
      service.setNow(START + day * DAY)
      await work()
    }
    expect(backups()).toHaveLength(2)
    expect(backups()).not.toContain(first[0])
  })

  test('of two processes, one makes it', async () => {
    await Promise.all([work(), work()])
    expect(backups()).toHaveLength(1)
  })

  test('a failure is tried again after a minute, then after two', async () => {
    blockPlace()
    await work()
    expect(await state()).toMatchObject({ last: undefined, failures: 1, failuresInARow: 1 })
    await work()
    expect((await state()).failures).toBe(1)
    service.setNow(START + MINUTE)
    await work()
    expect(await state()).toMatchObject({ failures: 2, failuresInARow: 2 })
    service.setNow(START + 2 * MINUTE)
    await work()
    expect((await state()).failures).toBe(2)
    rmSync(place)
    service.setNow(START + 3 * MINUTE)
    await work()
    expect(await state()).toMatchObject({ last: { at: START + 3 * MINUTE }, failures: 2, failuresInARow: 0 })
  })

  test('when the process that makes it dies, another one begins anew after a delay', async () => {
    const { db } = service
    await db.sql`insert into relata.backup_schedule (place, since, due_at) values (${place}, now(), '2026-01-01')`
    await takeDue(db, backupQueue, { now: START, limit: 1 })
    await work()
    expect(backups()).toHaveLength(0)
    await endLeasesOf(db.sql, backupQueue, [db.pools.applicationName], START)
    await work()
    expect([backups().length, (await state()).failures]).toEqual([0, 1])
    service.setNow(START + MINUTE)
    await work()
    expect([backups().length, (await state()).failures]).toEqual([1, 1])
  })

  test('a service that stops gives it up, and the next one begins at once', async () => {
    let open = async () => {}
    const context = contextOf()
    const opened = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    open = async () => {
      opened.resolve()
      await goOn.promise
    }
    const { backups: own } = context
    if (own === undefined) throw new Error('The context has backups.')
    const worker = backupWorker.start({
      ...context,
      backups: { ...own, open: () => open().then(() => own.open()) },
    })
    await opened.promise
    const stopped = worker.stop()
    goOn.resolve()
    await stopped
    expect(await state()).toMatchObject({ last: undefined, failures: 0 })
    await work()
    expect((await state()).last?.at).toBe(START)
  })

  test('another place begins anew', async () => {
    await work()
    place = join(root, `${cases} other`)
    expect(await readBackupState(service.db.sql, setting, START)).toBeUndefined()
    await work()
    expect(backups()).toHaveLength(1)
  })

  test('none is made on a database that may be a copy', async () => {
    await holdSending(service)
    await work()
    expect(backups()).toHaveLength(0)
    service.setNow(START + 3 * DAY)
    await watchBackups(contextOf())
    expect(service.sentEmails.filter(({ subject }) => subject.startsWith('No backup'))).toHaveLength(0)
    await startAt(service, ORIGINAL)
    await work()
    expect(backups()).toHaveLength(1)
  })

  test('without the setting, nothing is made', async () => {
    await work(contextOf({ backups: undefined }))
    await watchBackups(contextOf({ backups: undefined }))
    expect(await service.db.sql`select from relata.backup_schedule`).toHaveLength(0)
  })
})

describe('who is told', () => {
  const alerts = () => service.sentEmails.filter(({ subject }) => subject.startsWith('No backup'))

  test('admins get one email when none succeeded for twice the time, and see it in the inbox and the settings', async () => {
    await work()
    const before = alerts().length
    rmSync(place, { recursive: true })
    blockPlace()
    service.setNow(START + DAY)
    await work()
    await watchBackups(contextOf())
    expect(await consoleState()).toMatchObject({ is_failing: true, is_overdue: false })
    expect([alerts().length - before, await inboxNotice(admin)]).toEqual([0, null])
    service.setNow(START + 2 * DAY + 1)
    await Promise.all([watchBackups(contextOf()), watchBackups(contextOf())])
    await watchBackups(contextOf())
    const sent = alerts().slice(before)
    const admins = new Set(sent.map(({ to }) => to))
    expect([sent.length, admins.has(member.email_address)]).toEqual([admins.size, false])
    expect(admins.size).toBeGreaterThan(0)
    expect(sent[0]?.text).toContain('of 2026-03-01 10:00 UTC')
    expect(sent[0]?.text).not.toContain(place)
    expect(await consoleState()).toEqual({
      every_seconds: 86_400,
      since: '2026-03-01T10:00:00.000000000Z',
      last_succeeded_at: '2026-03-01T10:00:00.000000000Z',
      is_failing: true,
      is_overdue: true,
    })
    expect(await inboxNotice(admin)).toEqual({
      since: '2026-03-01T10:00:00.000000000Z',
      last_succeeded_at: '2026-03-01T10:00:00.000000000Z',
    })
    expect(await inboxNotice(member)).toBeNull()
    mkdirSync(`${place} free`)
    rmSync(place)
    await work()
    expect(await inboxNotice(admin)).toBeNull()
  })

  test('an email that the mail server refuses is sent again later', async () => {
    await work()
    service.setNow(START + 3 * DAY)
    let attempts = 0
    const refusing = {
      isDelivered: true,
      close() {},
      send: async () => {
        attempts++
        throw new Error('refused')
      },
    }
    await watchBackups(contextOf({ mail: refusing }))
    const first = attempts
    await watchBackups(contextOf({ mail: refusing }))
    expect([first > 0, attempts]).toEqual([true, first])
    const before = alerts().length
    service.setNow(START + 3 * DAY + 5 * MINUTE)
    await watchBackups(contextOf())
    expect(alerts().length).toBe(before + first)
  })

  test('403 for a member who is no admin; null without scheduled backups', async () => {
    const path = `/console/api/workspaces/${service.workspaceId}/installation/backups`
    expect((await member.ask('GET', path)).status).toBe(403)
    expect(await consoleState()).toBeNull()
  })

  test('the metrics', async () => {
    await work()
    const metrics = createMetrics()
    expect(renderFamilies(metrics.families())).not.toContain('relata_backup')
    await watchBackups(contextOf({ metrics }))
    const lines = renderFamilies(metrics.families()).split('\n')
    expect(lines).toContain(`relata_backup_last_success_timestamp_seconds ${START / 1_000_000}`)
    expect(lines).toContain('relata_backup_failures_total 0')
    expect(lines.filter((line) => /^relata_backup_last_(size_bytes|duration_seconds) [\d.]+$/.test(line))).toHaveLength(
      2,
    )
  })
})
