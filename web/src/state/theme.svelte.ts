/** Light or dark, as the system has it unless somebody chose. `public/theme.js` reads the same before the first paint. */

export type Theme = 'system' | 'light' | 'dark'

const REMEMBERED = 'theme'

const isTheme = (text: string | null): text is Theme => text === 'light' || text === 'dark'

class ThemeChoice {
  chosen = $state<Theme>('system')

  constructor() {
    const remembered = localStorage.getItem(REMEMBERED)
    if (isTheme(remembered)) this.chosen = remembered
  }

  choose(theme: Theme): void {
    this.chosen = theme
    if (theme === 'system') {
      localStorage.removeItem(REMEMBERED)
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem(REMEMBERED, theme)
      document.documentElement.dataset.theme = theme
    }
  }
}

export const theme = new ThemeChoice()
