/** The current time, updated every second. */

import { createSubscriber } from 'svelte/reactivity'
import { formatRelative } from '../../../components/display/times'
import { LOCALE } from '../../../language'

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000)
  return () => clearInterval(timer)
})

/** An effect that calls this runs again every second. */
export function now(): number {
  subscribe()
  return Date.now()
}

const inSeconds = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'always', style: 'short' })

/** "12 sec. ago", "in 25 sec.", "3 hours ago". */
export function formatToSecond(instant: string, at: number): string {
  const seconds = Math.round((Date.parse(instant) - at) / 1000)
  if (Math.abs(seconds) >= 60) return formatRelative(instant, at)
  return seconds === 0 ? 'now' : inSeconds.format(seconds, 'second')
}
