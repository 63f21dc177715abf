/** The targets that a link of a note may have. */

const LINK_PATTERN = /^(?:https?:|mailto:|tel:)[^\s<>\p{Cc}]+$/iu

const MAX_LENGTH = 2000

const DOMAIN_PATTERN = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#:]|$)/u
const EMAIL_PATTERN = /^[^\s@/:]+@[^\s@/:]+$/

export const isLinkTarget = (text: string): boolean => text.length <= MAX_LENGTH && LINK_PATTERN.test(text)

/** The target that a person means: `example.com` is a website, and `ada@example.com` an address. Undefined for none. */
export function readLinkTarget(text: string): string | undefined {
  const target = text.trim()
  if (target.length > MAX_LENGTH) return undefined
  if (isLinkTarget(target)) return target
  const completed = EMAIL_PATTERN.test(target) ? `mailto:${target}` : `https://${target}`
  return (EMAIL_PATTERN.test(target) || DOMAIN_PATTERN.test(target)) && isLinkTarget(completed) ? completed : undefined
}
