namespace Logic
end Logic
