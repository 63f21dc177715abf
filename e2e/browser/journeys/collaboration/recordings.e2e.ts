/** A recording whose video the service fetches from another host, stores and serves; a service of its own may use the host of the test. */

import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN, consoleOf, expect, signIn, testSignedOut } from '../../support/journey'
import { startOwnService } from '../../support/own-service'
import { silentVideo } from '../../support/silent-video'

const test = testSignedOut.extend({
  // Playwright reads the used fixtures from the first parameter.
  // oxlint-disable-next-line no-empty-pattern
  baseURL: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'relata-recordings-'))
    const service = await startOwnService({ RELATA_FILES_DIR: folder, RELATA_ALLOW_PRIVATE_TARGETS: '1' })
    await use(service.url)
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  },
})

test('a fetched video plays, a line of the transcript seeks in it, and audio alone plays', async ({ page }) => {
  const video = new Uint8Array(silentVideo(30))
  const released = Promise.withResolvers<void>()
  // It answers only GET, as URLs do that are signed for it.
  const host = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ method, headers }) {
      if (method === 'HEAD') return new Response(null, { status: 403 })
      if (headers.get('range') === 'bytes=0-0')
        return new Response(video.subarray(0, 1), {
          status: 206,
          headers: { 'Content-Range': `bytes 0-0/${video.length}` },
        })
      await released.promise
      return new Response(video)
    },
  })
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  const { v2 } = await consoleOf(page.request)
  const { body } = await v2('POST', '/meetings', {
    data: {
      title: 'Recorded',
      description: '',
      is_all_day: false,
      start: { datetime: '2025-03-10T09:00:00Z' },
      end: { datetime: '2025-03-10T10:00:00Z' },
      participants: [{ name: 'Grace', is_organizer: true, status: 'accepted' }],
    },
  })
  const meeting = body.data.id.meeting_id as string
  const segment = (start_time: number, speech: string) => ({
    speech,
    start_time,
    end_time: start_time + 2,
    speaker: { name: 'Grace' },
  })
  const created = await v2('POST', `/meetings/${meeting}/call_recordings`, {
    data: {
      video_url: `http://127.0.0.1:${host.port}/call.mp4`,
      transcript: [segment(1, 'Good morning.'), { ...segment(12, 'The cards.'), speaker: { name: 'Joan' } }],
    },
  })
  expect([created.status, created.body.data?.status]).toEqual([200, 'processing'])
  await page.goto(`/meetings/${meeting}`)
  await expect(page.getByText('The recording is being fetched.')).toBeVisible()
  released.resolve()
  const player = page.getByLabel('Recording', { exact: true })
  const positionOf = () => player.evaluate((element: HTMLVideoElement) => element.currentTime)
  await expect.poll(() => player.evaluate((element: HTMLVideoElement) => Math.round(element.duration))).toBe(30)
  const lines = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
  await lines.nth(1).getByRole('button').press('Enter')
  await expect(lines.nth(1)).toHaveAttribute('aria-current', 'true')
  await expect.poll(positionOf).toBeGreaterThan(12.2)
  expect(await player.evaluate((element: HTMLVideoElement) => new URL(element.src).origin === location.origin)).toBe(
    true,
  )

  const audio = await v2('POST', `/meetings/${meeting}/call_recordings`, {
    data: { video_url: `http://127.0.0.1:${host.port}/call.m4a` },
  })
  expect(audio.status).toBe(200)
  await page.reload()
  const audioPlayer = page.locator('audio')
  await expect.poll(() => audioPlayer.evaluate((element: HTMLAudioElement) => Math.round(element.duration))).toBe(30)
  await host.stop(true)
})
