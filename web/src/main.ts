import '@fontsource-variable/inter'
import './design/tokens.css'
import './design/base.css'
import './design/frame-outline.css'
import './design/option-tones.css'
import './design/virtual-grid.css'
import { mount } from 'svelte'
import App from './App.svelte'

const target = document.getElementById('app')
if (target) mount(App, { target })
