// Before the first paint, so that nobody who chose a theme sees the other one flash by.
var theme = localStorage.getItem('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme

// The outline of the navigation is shown until the console has started. See src/shell/frame-outline.ts.
var isBare = /^\/(sign-in|reset-password|invitations|authorize)(\/|$)/.test(location.pathname)
if (!isBare && localStorage.getItem('frame') === 'shell') document.documentElement.dataset.frame = 'shell'
