import type { SettingParser } from '#run/config/setting-parsers'

export interface Setting<T> {
  /** The name of the environment variable. */
  readonly name: string
  /** The default as text; undefined when `otherwise` describes it. */
  readonly fallback?: string
  readonly otherwise?: string
  readonly means: string
  /** Whether the value contains a secret. Then `<NAME>_FILE` may name a file that holds it. */
  readonly isSecret?: true
  readonly read: SettingParser<T>
}

export const required = <T>(setting: Setting<T> & { fallback: string }) => ({ ...setting, isOptional: false as const })
export const optional = <T>(setting: Setting<T> & { otherwise: string }) => ({ ...setting, isOptional: true as const })
