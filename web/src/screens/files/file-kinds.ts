/** How the console shows a file, by the type of its content. */

import File from '@lucide/svelte/icons/file'
import FileArchive from '@lucide/svelte/icons/file-archive'
import FileImage from '@lucide/svelte/icons/file-image'
import FileSpreadsheet from '@lucide/svelte/icons/file-spreadsheet'
import FileText from '@lucide/svelte/icons/file-text'
import FileVideo from '@lucide/svelte/icons/file-video'
import type { IconComponent } from '../../shell/destinations'

/** Types that the service lets a browser show. */
export const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']

type Preview = 'image' | 'pdf' | 'table' | 'text'

/** How the dialog of a file shows it. The type of tables and texts is what their sender said; a wrong one shows an odd text. */
export function previewOf(type: string | null, name: string): Preview | undefined {
  if (type === 'application/pdf') return 'pdf'
  if (isImage(type)) return 'image'
  if (/\bcsv\b|tab-separated/.test(type ?? '') || /\.(csv|tsv)$/i.test(name)) return 'table'
  const isText = /^text\/|\bjson\b/.test(type ?? '') || /\.(txt|md|json|log|yaml|yml)$/i.test(name)
  return isText ? 'text' : undefined
}

/** Whether the browser shows the file as an image. */
export const isImage = (type: string | null): boolean => IMAGES.includes(type ?? '')

const ICONS: readonly (readonly [pattern: RegExp, icon: IconComponent])[] = [
  [/^image\//, FileImage],
  [/^(video|audio)\//, FileVideo],
  [/zip|compressed|x-tar|x-7z/, FileArchive],
  [/csv|spreadsheet|excel/, FileSpreadsheet],
  [/^text\/|pdf|document|msword|json/, FileText],
]

export const iconOf = (type: string | null): IconComponent =>
  ICONS.find(([pattern]) => type !== null && pattern.test(type))?.[1] ?? File

const PROVIDERS: Readonly<Record<string, string>> = {
  dropbox: 'Dropbox',
  box: 'Box',
  'google-drive': 'Google Drive',
  'microsoft-onedrive': 'OneDrive',
}

export const providerName = (provider: string): string => PROVIDERS[provider] ?? provider
