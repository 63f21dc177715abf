/** Reads the changelog, whose section of each version begins with what operators have to do or know. */

interface UpgradeNotes {
  /** The heading of the version. */
  readonly version: string
  readonly lines: readonly string[]
}

/**
 * The notes of all versions after `since`, the newest first; only those of the newest version when `since` is not known. A version
 * without notes is left out.
 */
export function listUpgradeNotes(changelog: string, since: string | undefined): UpgradeNotes[] {
  const sections = changelog.split(/^## /m).slice(1)
  const end = sections.findIndex((section) => section.split(/\s/, 1)[0] === since)
  const newer = since === undefined ? sections.slice(0, 1) : sections.slice(0, end < 0 ? undefined : end)
  return newer.flatMap((section) => {
    const [version = '', ...lines] = section.split('\n')
    const begin = lines.indexOf('### Upgrading')
    if (begin < 0) return []
    const rest = lines.slice(begin + 1)
    const next = rest.findIndex((line) => line.startsWith('### '))
    const notes = rest.slice(0, next < 0 ? undefined : next).filter((line) => line.trim() !== '')
    return notes.length > 0 ? [{ version, lines: notes }] : []
  })
}
