"""The web door: stage a profile and show it in XProf."""
