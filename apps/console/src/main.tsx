import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/source-serif-4/wght.css';
import 'uplot/dist/uPlot.min.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/layout.css';
import './styles/pages.css';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { applyTheme } from './parts/use-theme';

applyTheme();
const root = document.getElementById('root');
if (root) createRoot(root).render(<App />);
