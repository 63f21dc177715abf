import { UsageError } from './command'

/** Reads an address of `http` or `https`, given by the option of this name. */
export function readUrl(option: string, text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`--${option} is an address that begins with http:// or https://, not "${text}".`)
  }
  return url
}

/** The address of a service, without a trailing slash. */
export const readServiceUrl = (text: string): string => readUrl('service', text).href.replace(/\/$/, '')
